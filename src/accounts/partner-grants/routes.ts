import { z } from 'zod';
import { DeletedSchema } from '../../http/deleted.ts';
import { offsetAnswer, offsetList, offsetQuery } from '../../http/lists/pagination.ts';
import { route, type AnyRoute } from '../../http/route.ts';
import { createGrant, pageOfGrants, readGrant, removeGrant } from './partner-grants.ts';
import { CreatedPartnerGrantSchema, CreatePartnerGrantSchema, PartnerGrantSchema } from './schema.ts';

const tag = 'accounts';
const params = z.object({ id: z.string() });

export const postGrant = route({
  method: 'post',
  path: '/v1/partner-grants',
  operation: 'createPartnerGrant',
  tag,
  summary: 'Let a partner make agents and inbound endpoints',
  description:
    'The key for the partner is in `api_key`, only once; the same request with the same Idempotency-Key shows it again for 24 hours. More ' +
    'keys are made by POST /v1/api-keys, of kind partner. A partner registers agents, and makes endpoints for these and for the ' +
    'providers of the grant; it sees what it made and nothing else. A key that would outlast the key or token that makes it needs the ' +
    'approval of a person.',
  audience: 'admin',
  body: CreatePartnerGrantSchema,
  example: { name: 'Mail onboarding by Example Ltd', providers: ['mail_provider'] },
  status: 201,
  reply: CreatedPartnerGrantSchema,
  refusals: ['GOVERNANCE_APPROVAL_REQUIRED'],
  handler: ({ context, call, body }) => createGrant(context, call, body),
});

export const getGrants = route({
  method: 'get',
  path: '/v1/partner-grants',
  operation: 'listPartnerGrants',
  tag,
  summary: 'List the partner grants of the operator, newest first',
  description:
    'A grant lets the keys of a partner register agents and make endpoints for this operator, within its scope.',
  audience: 'admin',
  query: z.object(offsetQuery),
  status: 200,
  reply: offsetList('partner_grants', PartnerGrantSchema),
  handler: async ({ context, caller, query }) =>
    offsetAnswer('partner_grants', { ...(await pageOfGrants(context, caller, query)), query }),
});

export const getGrant = route({
  method: 'get',
  path: '/v1/partner-grants/:id',
  operation: 'getPartnerGrant',
  tag,
  summary: 'Show a partner grant',
  description: 'It says what the partner may do here, and until when.',
  audience: 'admin',
  params,
  status: 200,
  reply: PartnerGrantSchema,
  refusals: ['NOT_FOUND'],
  handler: async ({ context, caller, params: { id } }) => ({ status: 200, body: await readGrant(context, caller, id) }),
});

export const deleteGrant = route({
  method: 'delete',
  path: '/v1/partner-grants/:id',
  operation: 'deletePartnerGrant',
  tag,
  summary: 'Delete a partner grant',
  description: 'From the answer on its keys are refused. Its agents and endpoints stay with the operator.',
  audience: 'admin',
  params,
  status: 200,
  reply: DeletedSchema,
  refusals: ['NOT_FOUND'],
  handler: ({ context, call, params: { id } }) => removeGrant(context, call, id),
});

export const partnerGrantRoutes: AnyRoute[] = [postGrant, getGrants, getGrant, deleteGrant];
