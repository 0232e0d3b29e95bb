import { z } from 'zod';
import { cents } from '../../fields/cents.ts';
import { instant } from '../../fields/instant.ts';
import { name } from '../../fields/text.ts';

const role = z.enum(['admin', 'member']);

export const ApiKeySchema = z
  .object({
    id: z.string(),
    operator_id: z.string(),
    name: z.string(),
    kind: z.enum(['operator', 'agent', 'partner']),
    role: role.nullable(),
    agent_id: z.string().nullable(),
    partner_grant_id: z.string().nullable(),
    monthly_limit_cents: cents.nullable(),
    last4: z.string(),
    expires_at: z.string().nullable(),
    last_used_at: z.string().nullable(),
    created_by: z.string().nullable().meta({
      description: 'The credential that made it: a member, a key or a token (`oauth:…`); null: the first start.',
    }),
    created_at: z.string(),
  })
  .meta({
    id: 'ApiKey',
    description: 'A credential, without its secret.',
    examples: [
      {
        id: 'key_01K0000000000000000000000A',
        operator_id: 'op_01K0000000000000000000000A',
        name: 'laptop',
        kind: 'operator',
        role: 'admin',
        agent_id: null,
        partner_grant_id: null,
        monthly_limit_cents: null,
        last4: 'x9Qk',
        expires_at: null,
        last_used_at: null,
        created_by: 'mem_01K0000000000000000000000A',
        created_at: '2026-11-21T12:00:00.000Z',
      },
    ],
  });
export type ApiKey = z.infer<typeof ApiKeySchema>;

export const CreatedApiKeySchema = ApiKeySchema.extend({
  key: z.string().meta({ description: 'The secret; shown only once.' }),
}).meta({ id: 'CreatedApiKey', description: 'A new credential with its secret.' });
export type CreatedApiKey = z.infer<typeof CreatedApiKeySchema>;

const expiresAt = instant.optional();

/** Without `role` a key of the operator has the role member: the fewer rights are the default. */
export const CreateApiKeySchema = z
  .discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('operator'), name, role: role.default('member'), expires_at: expiresAt }),
    z.strictObject({
      kind: z.literal('agent'),
      name,
      agent_id: z.string(),
      monthly_limit_cents: cents.optional(),
      expires_at: expiresAt,
    }),
    z.strictObject({ kind: z.literal('partner'), name, partner_grant_id: z.string(), expires_at: expiresAt }),
  ])
  .meta({ id: 'CreateApiKey' });
export type CreateApiKey = z.infer<typeof CreateApiKeySchema>;
