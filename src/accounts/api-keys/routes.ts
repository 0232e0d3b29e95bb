import { z } from 'zod';
import { DeletedSchema } from '../../http/deleted.ts';
import { offsetAnswer, offsetList, offsetQuery } from '../../http/lists/pagination.ts';
import { route, type AnyRoute } from '../../http/route.ts';
import { ApiKeySchema, CreateApiKeySchema, CreatedApiKeySchema } from './schema.ts';
import { createApiKey, pageOfApiKeys, readApiKey, revokeApiKey } from './api-keys.ts';

const tag = 'accounts';
const params = z.object({ id: z.string() });

export const postApiKey = route({
  method: 'post',
  path: '/v1/api-keys',
  operation: 'createApiKey',
  tag,
  summary: 'Make an API key',
  description:
    'The secret is in `key`, only once; the same request with the same Idempotency-Key shows it again for 24 hours. ' +
    'A key of kind operator has the role member unless `role` is admin. One that would outlast the key or token that makes it needs the ' +
    'approval of a person: without `expires_at` a key never expires.',
  audience: 'admin',
  body: CreateApiKeySchema,
  example: { name: 'laptop', kind: 'operator', role: 'admin' },
  status: 201,
  reply: CreatedApiKeySchema,
  refusals: ['INVALID_STATE', 'GOVERNANCE_APPROVAL_REQUIRED'],
  handler: ({ context, call, body }) => createApiKey(context, call, body),
});

export const getApiKeys = route({
  method: 'get',
  path: '/v1/api-keys',
  operation: 'listApiKeys',
  tag,
  summary: 'List the API keys of the operator, newest first',
  description:
    'Each key is shown by its name and its last characters, with when it was last used and when it ends. A secret is shown only where a key is made.',
  audience: 'admin',
  query: z.object({
    ...offsetQuery,
    agent_id: z.string().optional().meta({ description: 'Those of this agent alone.' }),
  }),
  status: 200,
  reply: offsetList('api_keys', ApiKeySchema),
  handler: async ({ context, caller, query }) =>
    offsetAnswer('api_keys', { ...(await pageOfApiKeys(context, caller, query)), query }),
});

export const getApiKey = route({
  method: 'get',
  path: '/v1/api-keys/:id',
  operation: 'getApiKey',
  tag,
  summary: 'Read an API key, without its secret',
  description: 'A deleted key is 404.',
  audience: 'admin',
  params,
  status: 200,
  reply: ApiKeySchema,
  refusals: ['NOT_FOUND'],
  handler: async ({ context, caller, params: { id } }) => ({
    status: 200,
    body: await readApiKey(context, caller, id),
  }),
});

export const deleteApiKey = route({
  method: 'delete',
  path: '/v1/api-keys/:id',
  operation: 'deleteApiKey',
  tag,
  summary: 'Delete an API key',
  description: 'From the answer on the key is refused.',
  audience: 'admin',
  params,
  status: 200,
  reply: DeletedSchema,
  refusals: ['NOT_FOUND'],
  handler: ({ context, call, params: { id } }) => revokeApiKey(context, call, id),
});

export const apiKeyRoutes: AnyRoute[] = [postApiKey, getApiKeys, getApiKey, deleteApiKey];
