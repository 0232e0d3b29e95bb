import { z } from 'zod';
import { offsetAnswer, offsetList, offsetQuery } from '../http/lists/pagination.ts';
import { route, type AnyRoute } from '../http/route.ts';
import { decideApproval, pageOfApprovals, readApproval, rejectApprovals } from './approvals.ts';
import { ApprovalSchema, ApprovalStatusSchema, ApprovalWithBodySchema, RejectApprovalsSchema } from './schema.ts';

const params = z.object({ id: z.string() });
const tag = 'governance';

export const getApprovals = route({
  method: 'get',
  path: '/v1/governance/approvals',
  operation: 'listApprovals',
  tag,
  summary: 'List what waits for a person, and what was decided, newest first',
  description:
    'Each one has the request as it will be run, and what it is about as it was when it was asked for. `status` filters.',
  audience: 'person',
  query: z.object({ ...offsetQuery, status: ApprovalStatusSchema.optional() }),
  status: 200,
  reply: offsetList('approvals', ApprovalSchema),
  handler: async ({ context, caller, query }) =>
    offsetAnswer('approvals', { ...(await pageOfApprovals(context, caller, query)), query }),
});

const getApproval = route({
  method: 'get',
  path: '/v1/governance/approvals/:id',
  operation: 'getApproval',
  tag,
  summary: 'Show an approval',
  description:
    'For every credential of the operator, so that the one that sent the request can see when it is approved.',
  audience: 'anyone',
  params,
  status: 200,
  reply: ApprovalWithBodySchema,
  refusals: ['NOT_FOUND'],
  handler: async ({ context, caller, params: { id } }) => ({
    status: 200,
    body: await readApproval(context, caller, id),
  }),
});

export const postApprove = route({
  method: 'post',
  path: '/v1/governance/approvals/:id/approve',
  operation: 'approveRequest',
  tag,
  summary: 'Approve a request, once',
  description:
    'The same request can then be sent again with the header X-Governance-Approval, until the approval expires.',
  audience: 'person',
  params,
  status: 200,
  reply: ApprovalSchema,
  refusals: ['NOT_FOUND', 'INVALID_STATE', 'NOT_OWNER'],
  handler: ({ context, call, params: { id } }) => decideApproval(context, call, { id, decision: 'approved' }),
});

export const postReject = route({
  method: 'post',
  path: '/v1/governance/approvals/:id/reject',
  operation: 'rejectRequest',
  tag,
  summary: 'Reject a request, or withdraw an approval that is not used yet',
  description: 'An approval that was used already cannot be withdrawn.',
  audience: 'person',
  params,
  status: 200,
  reply: ApprovalSchema,
  refusals: ['NOT_FOUND', 'INVALID_STATE'],
  handler: ({ context, call, params: { id } }) => decideApproval(context, call, { id, decision: 'rejected' }),
});

export const postRejectMany = route({
  method: 'post',
  path: '/v1/governance/approvals/reject',
  operation: 'rejectRequests',
  tag,
  summary: 'Reject many requests together',
  description:
    'Those that were used, rejected or have expired stay as they are; the answer has all of them as they stand then.',
  audience: 'person',
  body: RejectApprovalsSchema,
  example: { ids: ['apr_01K0000000000000000000000A'] },
  status: 200,
  reply: z.object({ approvals: z.array(ApprovalSchema) }),
  handler: ({ context, call, body }) => rejectApprovals(context, call, body),
});

export const governanceRoutes: AnyRoute[] = [getApprovals, getApproval, postRejectMany, postApprove, postReject];
