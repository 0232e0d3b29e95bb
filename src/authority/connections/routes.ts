import { z } from 'zod';
import { DeletedSchema } from '../../http/deleted.ts';
import { offsetAnswer, offsetList, offsetQuery } from '../../http/lists/pagination.ts';
import { route, type AnyRoute } from '../../http/route.ts';
import { CreateServiceConnectionSchema, ServiceConnectionSchema, UpdateServiceConnectionSchema } from './schema.ts';
import {
  createServiceConnection,
  pageOfServiceConnections,
  readServiceConnection,
  removeServiceConnection,
  updateServiceConnection,
} from './connections.ts';

const params = z.object({ id: z.string() });
const tag = 'accounts';

export const postServiceConnection = route({
  method: 'post',
  path: '/v1/service-connections',
  operation: 'createServiceConnection',
  tag,
  summary: 'Connect a service',
  description: 'Agents may use nothing of it until a grant allows it.',
  audience: 'operator',
  body: CreateServiceConnectionSchema,
  example: { service_id: 'github', service_name: 'ada-github', scopes: ['repo:read', 'repo:write'] },
  status: 201,
  reply: ServiceConnectionSchema,
  refusals: ['SERVICE_NAME_TAKEN'],
  handler: ({ context, call, body }) => createServiceConnection(context, call, body),
});

export const getServiceConnections = route({
  method: 'get',
  path: '/v1/service-connections',
  operation: 'listServiceConnections',
  tag,
  summary: 'List the connected services of the operator, newest first',
  description: 'A connection names a service that agents may be allowed to use, with the scopes that it knows.',
  audience: 'operator',
  query: z.object(offsetQuery),
  status: 200,
  reply: offsetList('service_connections', ServiceConnectionSchema),
  handler: async ({ context, caller, query }) =>
    offsetAnswer('service_connections', { ...(await pageOfServiceConnections(context, caller, query)), query }),
});

export const getServiceConnection = route({
  method: 'get',
  path: '/v1/service-connections/:id',
  operation: 'getServiceConnection',
  tag,
  summary: 'Show a connected service',
  description: 'Its id is what grants and the `services` of a passport name.',
  audience: 'operator',
  params,
  status: 200,
  reply: ServiceConnectionSchema,
  refusals: ['NOT_FOUND'],
  handler: async ({ context, caller, params: { id } }) => ({
    status: 200,
    body: await readServiceConnection(context, caller, id),
  }),
});

export const patchServiceConnection = route({
  method: 'patch',
  path: '/v1/service-connections/:id',
  operation: 'updateServiceConnection',
  tag,
  summary: 'Change or disable a connected service',
  description: 'Later passports leave out a disabled service and scopes that were removed.',
  audience: 'operator',
  params,
  body: UpdateServiceConnectionSchema,
  example: { scopes: ['repo:read'] },
  status: 200,
  reply: ServiceConnectionSchema,
  refusals: ['NOT_FOUND', 'SERVICE_NAME_TAKEN'],
  handler: ({ context, call, params: { id }, body }) =>
    updateServiceConnection(context, call, { connectionId: id, patch: body }),
});

export const deleteServiceConnection = route({
  method: 'delete',
  path: '/v1/service-connections/:id',
  operation: 'deleteServiceConnection',
  tag,
  summary: 'Disconnect a service',
  description: 'Its grants are deleted too.',
  audience: 'operator',
  params,
  status: 200,
  reply: DeletedSchema,
  refusals: ['NOT_FOUND'],
  handler: ({ context, call, params: { id } }) => removeServiceConnection(context, call, id),
});

export const serviceConnectionRoutes: AnyRoute[] = [
  postServiceConnection,
  getServiceConnections,
  getServiceConnection,
  patchServiceConnection,
  deleteServiceConnection,
];
