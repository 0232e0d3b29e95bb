import { z } from 'zod';
import type { Context } from '../../context/context.ts';
import { assertThat, notFound } from '../../errors/carnet-error.ts';
import { text } from '../../fields/text.ts';
import { cursorPages } from '../../http/lists/pagination.ts';
import { queryInstant } from '../../http/query.ts';
import { route, type AnyRoute } from '../../http/route.ts';
import { LATEST, listServers, listServerVersions } from './queries.ts';
import { namespaceOf, presentServer, RegistryListSchema, RegistryServerSchema, type ServerRow } from './server-json.ts';

/** Versions that are shown; `/versions/:version` finds any. */
const MAX_VERSIONS = 100;

const include_deleted = z
  .enum(['true', 'false'])
  .optional()
  .meta({ description: 'Changes nothing: what is not on the market is not shown.' });

const pages = cursorPages({ position: z.object({ id: z.string() }), maximum: 100, standard: 30 });

const shared = { method: 'get', tag: 'skills', audience: 'public', anyOrigin: true, status: 200 } as const;

const list = route({
  ...shared,
  path: '/v1/registry/servers',
  alias: '/v0.1/servers',
  operation: 'listRegistryServers',
  summary: 'List the skills on the market as servers of an MCP registry',
  description:
    'In the form of the MCP registry API v0.1, for which it is also at `/v0.1/servers`: the present version of each active skill, newest first. Every server is the address of MCP; `_meta` names the skill.',
  query: z.object({
    limit: pages.query.limit,
    cursor: z.string().optional().meta({ description: 'metadata.nextCursor of the page before' }),
    search: text(0, 200)
      .optional()
      .meta({ description: 'A part of the name of the skill, or the whole name or id of the server.' }),
    updated_since: queryInstant.optional(),
    version: text(1, 255).optional().meta({ description: '`latest`, or what the present version must be.' }),
    include_deleted,
  }),
  reply: RegistryListSchema,
  refusals: ['INVALID_CURSOR'],
  // Postgres may look at every skill, also for a page without filters, and nobody shows a credential: who asks much waits for themselves.
  isHeavy: () => true,
  handler: async (request) => {
    const { context, query } = request;
    const { limit, search, updated_since, version } = query;
    const rows = await listServers(context.pool, {
      search,
      namespace: namespaceOf(context.config.publicBaseUrl),
      updatedSince: updated_since,
      version: version === LATEST ? undefined : version,
      after: pages.after(request)?.id ?? null,
      limit: limit + 1,
    });
    const shown = rows.slice(0, limit);
    const last = rows.length > limit ? shown.at(-1) : undefined;
    const { members, links } = pages.next(request, last === undefined ? null : { id: last.id });
    return { status: 200, body: listOf(context, shown, members.next_cursor), links };
  },
});

const params = z.object({ name: z.string() });

const versions = route({
  ...shared,
  path: '/v1/registry/servers/:name/versions',
  alias: '/v0.1/servers/:name/versions',
  operation: 'listRegistryServerVersions',
  summary: 'List the versions of a server of the registry',
  description:
    'The newest hundred among its last thousand revisions, newest first; also at `/v0.1/servers/{name}/versions`. The slash of the name is written %2F. Earlier versions are `deprecated`: an order always gets the present one.',
  params,
  query: z.object({ include_deleted }),
  reply: RegistryListSchema,
  refusals: ['NOT_FOUND'],
  handler: async ({ context, params: { name } }) => ({
    status: 200,
    body: listOf(context, await versionsOf(context, name, null), null),
  }),
});

const read = route({
  ...shared,
  path: '/v1/registry/servers/:name/versions/:version',
  alias: '/v0.1/servers/:name/versions/:version',
  operation: 'readRegistryServer',
  summary: 'Read a version of a server of the registry',
  description: 'Also at `/v0.1/servers/{name}/versions/{version}`. `latest` is the present version.',
  params: params.extend({ version: z.string() }),
  query: z.object({ include_deleted }),
  reply: RegistryServerSchema,
  refusals: ['NOT_FOUND'],
  handler: async ({ context, params: { name, version } }) => {
    const [row] = await versionsOf(context, name, version);
    return { status: 200, body: presentServer(row, context.config.publicBaseUrl) };
  },
});

/** @throws CarnetError NOT_FOUND */
async function versionsOf(
  context: Context,
  name: string,
  version: string | null,
): Promise<[ServerRow, ...ServerRow[]]> {
  const namespace = namespaceOf(context.config.publicBaseUrl);
  assertThat(name.startsWith(namespace), () => notFound('server'));
  const id = name.slice(namespace.length);
  const [first, ...others] = await listServerVersions(context.pool, { id, version, limit: MAX_VERSIONS });
  assertThat(first !== undefined, () => notFound('server'));
  return [first, ...others];
}

const listOf = (context: Context, rows: readonly ServerRow[], next: string | null) => ({
  servers: rows.map((row) => presentServer(row, context.config.publicBaseUrl)),
  metadata: { ...(next !== null && { nextCursor: next }), count: rows.length },
});

export const registryRoutes: AnyRoute[] = [list, versions, read];
