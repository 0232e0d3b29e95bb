import { z } from 'zod';
import { offsetAnswer, offsetList, offsetQuery } from '../../http/lists/pagination.ts';
import { MANY_VALUES, route, type AnyRoute } from '../../http/route.ts';
import { AuthorityBindingSchema, AuthorityBindingWithDocumentSchema, CreateAuthorityBindingSchema } from './schema.ts';
import {
  createAuthorityBinding,
  pageOfAuthorityBindings,
  readAuthorityBinding,
  revokeAuthorityBinding,
} from './bindings.ts';

const params = z.object({ id: z.string() });
const tag = 'accounts';

export const postAuthorityBinding = route({
  method: 'post',
  path: '/v1/authority-bindings',
  operation: 'createAuthorityBinding',
  tag,
  summary: 'Bind an agent and its current key to a receiver',
  description:
    'It is also recorded as a claim of type authority_binding. When the agent gets another key, it becomes inactive.',
  audience: 'operator',
  body: CreateAuthorityBindingSchema,
  maxValues: MANY_VALUES,
  example: {
    agent_id: 'ag_01K0000000000000000000000A',
    receiver_id: 'bank.example',
    receiver_profile_version_id: 'payments-2026-11',
    expires_at: '2026-12-21T12:00:00.000Z',
    document: { limit_cents: 50_000 },
  },
  status: 201,
  reply: AuthorityBindingWithDocumentSchema,
  refusals: ['NOT_FOUND', 'INVALID_STATE'],
  handler: ({ context, call, body }) => createAuthorityBinding(context, call, body),
});

export const getAuthorityBindings = route({
  method: 'get',
  path: '/v1/authority-bindings',
  operation: 'listAuthorityBindings',
  tag,
  summary: 'List the authority bindings of the operator, newest first, without their documents',
  description:
    'A binding is a document that gives an agent its authority, such as a contract. Here are its facts, with the hash of the document.',
  audience: 'operator',
  query: z.object(offsetQuery),
  status: 200,
  reply: offsetList('authority_bindings', AuthorityBindingSchema),
  handler: async ({ context, caller, query }) =>
    offsetAnswer('authority_bindings', { ...(await pageOfAuthorityBindings(context, caller, query)), query }),
});

export const getAuthorityBinding = route({
  method: 'get',
  path: '/v1/authority-bindings/:id',
  operation: 'getAuthorityBinding',
  tag,
  summary: 'Show an authority binding',
  description: 'With the document itself. Passports that name a binding stop verifying once it is no longer active.',
  audience: 'operator',
  params,
  status: 200,
  reply: AuthorityBindingWithDocumentSchema,
  refusals: ['NOT_FOUND'],
  handler: async ({ context, caller, params: { id } }) => ({
    status: 200,
    body: await readAuthorityBinding(context, caller, id),
  }),
});

export const postRevoke = route({
  method: 'post',
  path: '/v1/authority-bindings/:id/revoke',
  operation: 'revokeAuthorityBinding',
  tag,
  summary: 'Revoke an authority binding',
  description:
    'Requests that need the binding are refused, also with passports that were signed before. Revoking it again gives the same answer.',
  audience: 'operator',
  params,
  status: 200,
  reply: AuthorityBindingWithDocumentSchema,
  refusals: ['NOT_FOUND'],
  handler: ({ context, call, params: { id } }) => revokeAuthorityBinding(context, call, id),
});

export const authorityBindingRoutes: AnyRoute[] = [
  postAuthorityBinding,
  getAuthorityBindings,
  getAuthorityBinding,
  postRevoke,
];
