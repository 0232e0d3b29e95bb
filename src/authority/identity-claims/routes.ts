import { z } from 'zod';
import { DeletedSchema } from '../../http/deleted.ts';
import { offsetAnswer, offsetList, offsetQuery } from '../../http/lists/pagination.ts';
import { route, type AnyRoute } from '../../http/route.ts';
import { CreateIdentityClaimSchema, IdentityClaimSchema } from './schema.ts';
import {
  createIdentityClaim,
  deleteIdentityClaim,
  pageOfIdentityClaims,
  readIdentityClaim,
} from './identity-claims.ts';

const params = z.object({ id: z.string() });

const postIdentityClaim = route({
  method: 'post',
  path: '/v1/identity-claims',
  operation: 'createIdentityClaim',
  tag: 'platform',
  summary: 'Attest something about an operator or an agent',
  description:
    'Passports can name the claim until it expires or is revoked. It is charged where the allowance of the tier is used up.',
  audience: 'platform',
  body: CreateIdentityClaimSchema,
  example: {
    operator_id: 'op_01K0000000000000000000000A',
    provider: 'eid',
    layer: 'person',
    claim_type: 'legal_name',
    assurance_level: 'L2',
  },
  status: 201,
  reply: IdentityClaimSchema,
  refusals: ['INSUFFICIENT_CREDITS'],
  handler: ({ context, call, body }) => createIdentityClaim(context, call, body),
});

export const getIdentityClaims = route({
  method: 'get',
  path: '/v1/identity-claims',
  operation: 'listIdentityClaims',
  tag: 'accounts',
  summary: 'List the identity claims of the operator and its agents, newest first',
  description: 'With the platform key: the claims of every operator, or of `operator_id`.',
  audience: 'operator',
  query: z.object({ ...offsetQuery, operator_id: z.string().optional(), agent_id: z.string().optional() }),
  status: 200,
  reply: offsetList('identity_claims', IdentityClaimSchema),
  handler: async ({ context, caller, query }) =>
    offsetAnswer('identity_claims', { ...(await pageOfIdentityClaims(context, caller, query)), query }),
});

const getIdentityClaim = route({
  method: 'get',
  path: '/v1/identity-claims/:id',
  operation: 'getIdentityClaim',
  tag: 'accounts',
  summary: 'Read an identity claim of the operator or of its agents',
  description: 'With the platform key: a claim of any operator.',
  audience: 'operator',
  params,
  status: 200,
  reply: IdentityClaimSchema,
  refusals: ['NOT_FOUND'],
  handler: async ({ context, caller, params: { id } }) => ({
    status: 200,
    body: await readIdentityClaim(context, caller, id),
  }),
});

const deleteClaim = route({
  method: 'delete',
  path: '/v1/identity-claims/:id',
  operation: 'deleteIdentityClaim',
  tag: 'platform',
  summary: 'Revoke an identity claim',
  description: 'It stays in the list with `revoked_at` and no longer counts for trust.',
  audience: 'platform',
  params,
  status: 200,
  reply: DeletedSchema,
  refusals: ['NOT_FOUND'],
  handler: ({ context, call, params: { id } }) => deleteIdentityClaim(context, call, id),
});

export const identityClaimRoutes: AnyRoute[] = [postIdentityClaim, getIdentityClaims, getIdentityClaim, deleteClaim];
