import { z } from 'zod';
import { route, type AnyRoute } from '../../http/route.ts';
import {
  AccountabilityReportSchema,
  BlockAgentSchema,
  BlockedAgentSchema,
  CheckoutAnswerSchema,
  CheckoutBodySchema,
  CheckpointAnswerSchema,
  CheckpointBodySchema,
  DecideReviewSchema,
  DecisionSchema,
  ReviewsQuerySchema,
  ReviewsSchema,
} from './schema.ts';
import { blockAgent } from './block-agent.ts';
import { decideReview } from './decide-review.ts';
import { readReport } from './report.ts';
import { listReviews } from './reviews.ts';
import { submitCheckout, submitCheckpoint } from './submit-report.ts';

const tag = 'passports';
/** A thousand calls of three members and two thousand names count 35,000. */
const MAX_REPORT_VALUES = 40_000;
const params = z.object({ jti: z.string() });
const report = {
  services_used: ['github'],
  tool_calls: [{ service: 'github', method: 'repo:read', target: 'carnet' }],
  actions_count: 12,
  summary: 'Read the open issues.',
};

const checkpoint = route({
  method: 'post',
  path: '/v1/passports/:jti/checkpoint',
  operation: 'submitCheckpoint',
  tag,
  summary: 'Report what was done with a passport since the last checkpoint',
  description:
    'A checkpoint is a report in the middle of the work. Agents that are held to it owe one each interval; a missed one is a flag, which a person reviews.',
  audience: 'operator-scope',
  params,
  body: CheckpointBodySchema,
  maxValues: MAX_REPORT_VALUES,
  example: report,
  status: 201,
  reply: CheckpointAnswerSchema,
  refusals: ['NOT_FOUND', 'ACCOUNTABILITY_MODE', 'PASSPORT_REVOKED', 'PASSPORT_EXPIRED', 'ALREADY_CHECKED_OUT'],
  handler: ({ context, call, params: { jti }, body }) => submitCheckpoint(context, call, { jti, body }),
});

const checkout = route({
  method: 'post',
  path: '/v1/passports/:jti/checkout',
  operation: 'submitCheckout',
  tag,
  summary: 'Report that the work is done',
  description:
    'Ends the checkpoints of a passport and all its refreshes. With accountability enforced a person reviews it.',
  audience: 'operator-scope',
  params,
  body: CheckoutBodySchema,
  maxValues: MAX_REPORT_VALUES,
  example: report,
  status: 201,
  reply: CheckoutAnswerSchema,
  refusals: ['NOT_FOUND', 'ACCOUNTABILITY_MODE', 'PASSPORT_EXPIRED', 'ALREADY_CHECKED_OUT'],
  handler: ({ context, call, params: { jti }, body }) => submitCheckout(context, call, { jti, body }),
});

export const getReport = route({
  method: 'get',
  path: '/v1/passports/:jti/report',
  operation: 'readAccountabilityReport',
  tag,
  summary: 'Read the accountability report of a passport',
  description: 'Every checkpoint, the checkout and the flags of the lineage: the passport with its refreshes.',
  audience: 'operator-scope',
  params,
  status: 200,
  reply: AccountabilityReportSchema,
  refusals: ['NOT_FOUND'],
  handler: async ({ context, caller, params: { jti } }) => ({
    status: 200,
    body: await readReport(context, caller, jti),
  }),
});

export const getReviews = route({
  method: 'get',
  path: '/v1/passports/reviews',
  operation: 'listPassportReviews',
  tag,
  summary: 'List the reviews that wait for a decision, or those decided in one way, newest first',
  description:
    'A review is what a person decides about a checkout: it has flags that the service raised, and says whether the agent is held until it is approved.',
  audience: 'operator-scope',
  query: ReviewsQuerySchema,
  status: 200,
  reply: ReviewsSchema,
  handler: async ({ context, caller, query }) => ({ status: 200, ...(await listReviews(context, caller, query)) }),
});

export const postDecision = route({
  method: 'post',
  path: '/v1/passports/reviews/:checkoutId/decide',
  operation: 'decidePassportReview',
  tag,
  summary: 'Decide a review',
  description:
    'Approving needs a person, in a dashboard session or by the approval that a key sends; blocking needs none, and the agent stays held. ' +
    'A blocked review can still be approved, and decided as blocked with `block_future`.',
  audience: 'operator-scope',
  params: z.object({ checkoutId: z.string() }),
  body: DecideReviewSchema,
  example: { decision: 'blocked', notes: 'Used a service it had not declared.', block_future: true },
  status: 200,
  reply: DecisionSchema,
  refusals: ['NOT_FOUND', 'REVIEW_ALREADY_DECIDED', 'REVIEW_CHANGED', 'GOVERNANCE_APPROVAL_REQUIRED'],
  handler: ({ context, call, params: { checkoutId }, body }) =>
    decideReview(context, call, { checkoutId, decision: body }),
});

export const postBlock = route({
  method: 'post',
  path: '/v1/agents/:id/block',
  operation: 'blockAgent',
  tag: 'accounts',
  summary: 'Block an agent without a review',
  description:
    'It gets no passports until a person unblocks it, and no agent that has or had a public key of it does. Every credential of the operator may, since it only takes ' +
    'access away. Passports that it has stay good: revoke them too where they should end.',
  audience: 'operator',
  params: z.object({ id: z.string() }),
  body: BlockAgentSchema,
  example: { notes: 'Its host was taken over.' },
  status: 200,
  reply: BlockedAgentSchema,
  refusals: ['NOT_FOUND'],
  handler: ({ context, call, params: { id }, body }) => blockAgent(context, call, { agentId: id, ...body }),
});

/** Fixed paths stand before those with a jti, which would match them too. */
export const accountabilityRoutes: AnyRoute[] = [getReviews, postDecision, checkpoint, checkout, getReport, postBlock];
