import { z } from 'zod';
import { offsetAnswer, offsetList, offsetQuery } from '../../http/lists/pagination.ts';
import { route, type AnyRoute } from '../../http/route.ts';
import { createEndpoint } from './create.ts';
import { pageOfEndpoints, readEndpoint } from './read.ts';
import { revokeEndpoint } from './revoke.ts';
import { rotateEndpointSecret } from './rotate-secret.ts';
import { makeSample } from './sample.ts';
import {
  CreateEndpointSchema,
  CreatedEndpointSchema,
  EndpointSchema,
  MakeSampleSchema,
  RotatedEndpointSecretSchema,
  RotateEndpointSecretSchema,
  SampleSchema,
  UpdateEndpointSchema,
} from './schema.ts';
import { updateEndpoint } from './update.ts';

const tag = 'inbound';
const params = z.object({ id: z.string() });

export const postEndpoint = route({
  method: 'post',
  path: '/v1/operator/inbound-webhooks',
  operation: 'createInboundEndpoint',
  tag,
  summary: 'Make an endpoint that takes what a provider sends for an agent',
  description:
    'Configure the provider to send to `receiver_url` and to sign with `secret`, which is shown only once. Of a provider that makes its ' +
    'signing key itself, send that as `secret`. Each event is verified, ' +
    'deduplicated, scanned and recorded, and forwarded to `forward_url` where the policy lets it pass; without one it is recorded. A key or token that ends needs the approval of a person for it.',
  audience: 'admin-or-partner',
  body: CreateEndpointSchema,
  example: {
    provider: 'generic',
    agent_id: 'ag_01K0000000000000000000000A',
    forward_url: 'https://agents.example.com/events',
  },
  status: 201,
  reply: CreatedEndpointSchema,
  refusals: [
    'FORWARD_URL_FORBIDDEN',
    'NOT_FOUND',
    'PROVIDER_NOT_ALLOWED',
    'INVALID_STATE',
    'TIER_LIMIT_EXCEEDED',
    'GOVERNANCE_APPROVAL_REQUIRED',
  ],
  handler: ({ context, call, body }) => createEndpoint(context, call, body),
});

export const getEndpoints = route({
  method: 'get',
  path: '/v1/operator/inbound-webhooks',
  operation: 'listInboundEndpoints',
  tag,
  summary: 'List the inbound endpoints, active and revoked, newest first',
  description: 'A partner sees those that its keys made.',
  audience: 'anyone-or-partner',
  query: z.object(offsetQuery),
  status: 200,
  reply: offsetList('inbound_webhooks', EndpointSchema),
  handler: async ({ context, caller, query }) =>
    offsetAnswer('inbound_webhooks', { ...(await pageOfEndpoints(context, caller, query)), query }),
});

export const getEndpoint = route({
  method: 'get',
  path: '/v1/operator/inbound-webhooks/:id',
  operation: 'getInboundEndpoint',
  tag,
  summary: 'Show an inbound endpoint with its counters',
  description: 'Counters are of events since it was made. The secret is not shown.',
  audience: 'anyone-or-partner',
  params,
  status: 200,
  reply: EndpointSchema,
  refusals: ['NOT_FOUND'],
  handler: async ({ context, caller, params: { id } }) => ({
    status: 200,
    body: await readEndpoint(context, caller, id),
  }),
});

export const patchEndpoint = route({
  method: 'patch',
  path: '/v1/operator/inbound-webhooks/:id',
  operation: 'updateInboundEndpoint',
  tag,
  summary: 'Change where an endpoint forwards to, its policy or its name',
  description:
    'It counts for every event that is not forwarded yet. What lets more events pass, or forwards them to another URL, needs a person.',
  audience: 'admin',
  params,
  body: UpdateEndpointSchema,
  example: { policy: { block_at: 'medium' } },
  status: 200,
  reply: EndpointSchema,
  refusals: ['FORWARD_URL_FORBIDDEN', 'NOT_FOUND', 'ENDPOINT_REVOKED', 'GOVERNANCE_APPROVAL_REQUIRED'],
  handler: ({ context, call, params: { id }, body }) => updateEndpoint(context, call, { id, patch: body }),
});

export const deleteEndpoint = route({
  method: 'delete',
  path: '/v1/operator/inbound-webhooks/:id',
  operation: 'revokeInboundEndpoint',
  tag,
  summary: 'Revoke an inbound endpoint for good',
  description:
    'From the answer on nothing is taken there, and nothing is forwarded: a call that is under way is waited for, twelve seconds at most. ' +
    'Repeating it is safe. It only takes access away, so an agent may do it too, by its key or a passport, also while it is blocked, of the endpoints that are for it; ' +
    'another one is 404 to it.',
  audience: 'any-credential',
  params,
  status: 200,
  reply: EndpointSchema,
  refusals: ['NOT_FOUND'],
  handler: ({ context, call, params: { id }, signal }) => revokeEndpoint(context, call, { id, signal }),
});

export const postRotateSecret = route({
  method: 'post',
  path: '/v1/operator/inbound-webhooks/:id/rotate-secret',
  operation: 'rotateInboundSecret',
  tag,
  summary: 'Replace the secret of an inbound endpoint',
  description:
    'The new one is made here, unless `secret` has the one that the provider made. Forwards are signed with it immediately. What the provider sends may be signed with the one before for 24 hours, unless ' +
    '`immediate` is true. A second rotation within these ends the first secret immediately. A `secret` that is sent needs a person, and so does any, by a key or token that ends.',
  audience: 'admin',
  params,
  body: RotateEndpointSecretSchema,
  example: { immediate: true },
  status: 200,
  reply: RotatedEndpointSecretSchema,
  refusals: ['NOT_FOUND', 'ENDPOINT_REVOKED', 'GOVERNANCE_APPROVAL_REQUIRED'],
  handler: ({ context, call, params: { id }, body }) => rotateEndpointSecret(context, call, { id, ...body }),
});

export const postSample = route({
  method: 'post',
  path: '/v1/operator/inbound-webhooks/:id/sample',
  operation: 'makeInboundSample',
  tag,
  summary: 'Make a signed sample event to try an inbound endpoint with',
  description:
    'Nothing is sent: `curl` is the command that does. A `harmless` one is forwarded where there is a forward_url, a `hostile` one holds an ' +
    'order to an agent, which the standard policy blocks. Both are events like any other, with all that follows.',
  audience: 'admin',
  params,
  body: MakeSampleSchema,
  example: { kind: 'harmless' },
  status: 200,
  reply: SampleSchema,
  refusals: ['NOT_FOUND', 'ENDPOINT_REVOKED'],
  handler: ({ context, call, params: { id }, body: { kind } }) => makeSample(context, call, { id, kind }),
});

export const endpointRoutes: AnyRoute[] = [
  postEndpoint,
  getEndpoints,
  getEndpoint,
  patchEndpoint,
  deleteEndpoint,
  postRotateSecret,
  postSample,
];
