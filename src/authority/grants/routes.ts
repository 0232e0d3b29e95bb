import { z } from 'zod';
import { DeletedSchema } from '../../http/deleted.ts';
import { offsetAnswer, offsetList, offsetQuery } from '../../http/lists/pagination.ts';
import { MANY_VALUES, route, type AnyRoute } from '../../http/route.ts';
import { GrantSchema, PutGrantSchema } from './schema.ts';
import { pageOfGrants, readGrant, removeGrant, setGrant } from './grants.ts';

const path = '/v1/agents/:id/grants/:service_connection_id';
const params = z
  .object({ id: z.string(), service_connection_id: z.string() })
  .transform(({ id, service_connection_id: connectionId }) => ({ agentId: id, connectionId }));
const tag = 'accounts';

export const putGrant = route({
  method: 'put',
  path,
  operation: 'putGrant',
  tag,
  summary: 'Set what an agent may use of a connected service',
  description: 'Replaces the whole grant. Passports that were signed before stay as they are.',
  audience: 'operator',
  params,
  body: PutGrantSchema,
  maxValues: MANY_VALUES,
  example: { scopes: ['repo:read'], constraints: [{ param: 'repository', op: 'prefix', value: 'ada/' }] },
  status: 200,
  reply: GrantSchema,
  refusals: ['NOT_FOUND'],
  handler: ({ context, call, params: grant, body }) => setGrant(context, call, { ...grant, body }),
});

export const getGrants = route({
  method: 'get',
  path: '/v1/agents/:id/grants',
  operation: 'listGrants',
  tag,
  summary: 'List what an agent may use, the newest connection first',
  description: 'Everything that a passport of this agent can have.',
  audience: 'operator',
  params: z.object({ id: z.string() }),
  query: z.object(offsetQuery),
  status: 200,
  reply: offsetList('grants', GrantSchema),
  refusals: ['NOT_FOUND'],
  handler: async ({ context, caller, params: { id: agentId }, query }) =>
    offsetAnswer('grants', { ...(await pageOfGrants(context, caller, { agentId, ...query })), query }),
});

export const getGrant = route({
  method: 'get',
  path,
  operation: 'getGrant',
  tag,
  summary: 'Show what an agent may use of a connected service',
  description: 'A passport can have no more than this. An agent without a grant of the connection is 404.',
  audience: 'operator',
  params,
  status: 200,
  reply: GrantSchema,
  refusals: ['NOT_FOUND'],
  handler: async ({ context, caller, params: grant }) => ({
    status: 200,
    body: await readGrant(context, caller, grant),
  }),
});

export const deleteGrant = route({
  method: 'delete',
  path,
  operation: 'deleteGrant',
  tag,
  summary: 'Take a connected service away from an agent',
  description: 'Passports that were signed before stay as they are; revoke them to end them.',
  audience: 'operator',
  params,
  status: 200,
  reply: DeletedSchema,
  refusals: ['NOT_FOUND'],
  handler: ({ context, call, params: grant }) => removeGrant(context, call, grant),
});

export const grantRoutes: AnyRoute[] = [putGrant, getGrants, getGrant, deleteGrant];
