import { z } from 'zod';
import { jsonObject } from '../../fields/objects.ts';

const SERVER_SCHEMA = 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json';
const OFFICIAL = 'io.modelcontextprotocol.registry/official';
const PUBLISHER = 'io.modelcontextprotocol.registry/publisher-provided';
/** Characters of title and description, as that schema has it. */
const MAX_LENGTH = 100;
/** A name has 200 characters at most, an id of a skill 30. */
const MAX_NAMESPACE = 160;

/** One version of a skill, as the registry shows it. */
export const ServerRow = z.object({
  id: z.string(),
  name: z.string(),
  description: z.string(),
  version: z.string(),
  published_at: z.string(),
  updated_at: z.string(),
  latest: z.boolean(),
});
export type ServerRow = z.output<typeof ServerRow>;

const headers = [
  {
    name: 'Authorization',
    description: 'Bearer and an API key of Carnet',
    isRequired: true as const,
    isSecret: true as const,
  },
];

const example = {
  server: {
    $schema: SERVER_SCHEMA,
    name: 'com.example.carnet/skl_01K0000000000000000000000A',
    title: 'summarise-text',
    description: 'Summarises a text in three sentences.',
    version: '1.0.0',
    remotes: [
      {
        type: 'streamable-http' as const,
        url: 'https://carnet.example.com/mcp',
        headers,
      },
    ],
    _meta: { [PUBLISHER]: { tool: 'invoke_skill' as const, skill_id: 'skl_01K0000000000000000000000A' } },
  },
  _meta: {
    [OFFICIAL]: {
      status: 'active' as const,
      publishedAt: '2026-11-21T12:00:00.000Z',
      updatedAt: '2026-11-21T12:00:00.000Z',
      isLatest: true,
    },
  },
};

export const RegistryServerSchema = z
  .object({
    // A map: in most languages no member can be named `$schema`.
    server: jsonObject.meta({
      description:
        'As the `server.json` of 2025-12-11: name (the host of the service backwards, and the id of the skill), title (the name of the skill), description, version, remotes, _meta.',
    }),
    _meta: z.object({
      [OFFICIAL]: z.object({
        status: z.enum(['active', 'deprecated']).meta({ description: 'deprecated: an earlier version.' }),
        publishedAt: z.string(),
        updatedAt: z.string(),
        isLatest: z.boolean(),
      }),
    }),
  })
  .meta({
    id: 'RegistryServer',
    description: 'A version of a skill as a server of an MCP registry.',
    examples: [example],
  });

export const RegistryListSchema = z
  .object({
    servers: z.array(RegistryServerSchema),
    metadata: z.object({
      nextCursor: z.string().optional().meta({ description: 'Absent on the last page.' }),
      count: z.int().meta({ description: 'Servers of this page.' }),
    }),
  })
  .meta({ id: 'RegistryServerList', examples: [{ servers: [example], metadata: { count: 1 } }] });

/**
 * `com.example.carnet/` for https://carnet.example.com: names begin with it. The id of the skill follows, and not its name, which two operators may
 * use. With one entry for the whole service nobody would find a skill.
 */
export function namespaceOf(publicBaseUrl: string): string {
  const host = new URL(publicBaseUrl).hostname.split('.').toReversed().join('.');
  return `${host.replaceAll(/[^a-zA-Z0-9.-]/g, '-').slice(0, MAX_NAMESPACE)}/`;
}

const cut = (text: string): string => {
  const characters = [...text];
  return characters.length <= MAX_LENGTH ? text : `${characters.slice(0, MAX_LENGTH - 1).join('')}…`;
};

/** All skills are reached at the one door of MCP: `_meta` says by which tool, and under which id. */
export const presentServer = (row: ServerRow, publicBaseUrl: string): z.input<typeof RegistryServerSchema> => ({
  server: {
    $schema: SERVER_SCHEMA,
    name: namespaceOf(publicBaseUrl) + row.id,
    title: cut(row.name),
    description: cut(row.description),
    version: row.version,
    remotes: [{ type: 'streamable-http', url: `${publicBaseUrl}/mcp`, headers }],
    _meta: { [PUBLISHER]: { tool: 'invoke_skill', skill_id: row.id } },
  },
  _meta: {
    [OFFICIAL]: {
      status: row.latest ? 'active' : 'deprecated',
      publishedAt: row.published_at,
      updatedAt: row.updated_at,
      isLatest: row.latest,
    },
  },
});
