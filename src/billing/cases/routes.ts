import { z } from 'zod';
import { cursorList } from '../../http/lists/pagination.ts';
import { route, type AnyRoute } from '../../http/route.ts';
import { decideCase, decisions, refundSettled } from './decide.ts';
import { listCases } from './queries.ts';
import { BillingCaseSchema, caseKinds, DecideCaseSchema, DecidedCaseSchema, SettleRefundSchema } from './schema.ts';

const tag = 'platform';
const audience = 'platform';
const params = z.object({ id: z.string() });
const approved =
  'A person who administers the platform approves it; the reason stands in the audit trail, and the operator finds what was done in theirs.';

const pages = cursorList({
  name: 'cases',
  item: BillingCaseSchema,
  position: z.object({ kind: z.enum(caseKinds), id: z.string() }),
  maximum: 200,
  standard: 50,
});

export const getCases = route({
  method: 'get',
  path: '/v1/admin/billing/cases',
  operation: 'listBillingCases',
  tag,
  summary: 'List what waits for a person: refunds and lives that hang, payments that differ, debts, alarms',
  description:
    'Each case says what is wrong, since when, whom it concerns, and which call settles it. For administrators of the platform.',
  audience,
  query: z.object({ ...pages.query, operator_id: z.string().optional() }),
  status: 200,
  reply: pages.reply,
  refusals: ['INVALID_CURSOR'],
  handler: async (request) => {
    const { context, query } = request;
    const rows = await listCases(context.pool, {
      operatorId: query.operator_id,
      after: pages.after(request),
      limit: query.limit + 1,
    });
    return pages.answer(request, [...rows], ({ kind, id }) => ({ kind, id }));
  },
});

export const settleRefund = route({
  method: 'post',
  path: '/v1/admin/billing/refunds/:id/settle',
  operation: 'settleRefund',
  tag,
  summary: 'Settle a refund that is still pending, or release what it holds',
  description: approved,
  audience,
  params,
  body: SettleRefundSchema,
  example: { outcome: 'failed', reason: 'The provider made no such refund: it was looked up in their dashboard.' },
  status: 200,
  reply: DecidedCaseSchema,
  refusals: ['NOT_FOUND', 'INVALID_STATE', 'GOVERNANCE_APPROVAL_REQUIRED'],
  handler: ({ context, call, params: { id }, body: { outcome, reason } }) =>
    decideCase(context, call, { decision: refundSettled(outcome), id, reason }),
});

export const closeReceivable = route({
  method: 'post',
  path: '/v1/admin/billing/receivables/:id/close',
  operation: 'closeReceivable',
  tag,
  summary: 'Give up what is still owed of a receivable',
  description: `The platform pays it: two rows of the wallet show it. ${approved}`,
  audience,
  params,
  body: DecideCaseSchema,
  example: { reason: 'The card was stolen; the operator is a victim of it too.' },
  status: 200,
  reply: DecidedCaseSchema,
  refusals: ['NOT_FOUND', 'INVALID_STATE', 'GOVERNANCE_APPROVAL_REQUIRED'],
  handler: ({ context, call, params: { id }, body }) =>
    decideCase(context, call, { decision: decisions.receivableClosed, id, ...body }),
});

export const takePayment = route({
  method: 'post',
  path: '/v1/admin/billing/differing-payments/:id/take',
  operation: 'takeDifferingPayment',
  tag,
  summary: 'Credit a payment that is not the one requested, by what was paid',
  description: approved,
  audience,
  params,
  body: DecideCaseSchema,
  example: { reason: 'Paid twice by mistake; the operator wants to keep it.' },
  status: 200,
  reply: DecidedCaseSchema,
  refusals: ['NOT_FOUND', 'INVALID_STATE', 'GOVERNANCE_APPROVAL_REQUIRED'],
  handler: ({ context, call, params: { id }, body }) =>
    decideCase(context, call, { decision: decisions.paymentTaken, id, ...body }),
});

export const dismissPayment = route({
  method: 'post',
  path: '/v1/admin/billing/differing-payments/:id/dismiss',
  operation: 'dismissDifferingPayment',
  tag,
  summary: 'Note that a payment that is not the one requested was settled elsewhere',
  description: `For a payment that was given back at the provider. Nothing is credited. ${approved}`,
  audience,
  params,
  body: DecideCaseSchema,
  example: { reason: 'Refunded in the dashboard of the provider.' },
  status: 200,
  reply: DecidedCaseSchema,
  refusals: ['NOT_FOUND', 'INVALID_STATE', 'GOVERNANCE_APPROVAL_REQUIRED'],
  handler: ({ context, call, params: { id }, body }) =>
    decideCase(context, call, { decision: decisions.paymentDismissed, id, ...body }),
});

export const dismissAlarm = route({
  method: 'post',
  path: '/v1/admin/billing/alarms/:id/dismiss',
  operation: 'dismissBillingAlarm',
  tag,
  summary: 'Note that a person has looked at an alarm',
  description:
    'It moves no money. Where an operator has paid for what the alarm is about, or is paid by it, a person approves it.',
  audience,
  params,
  body: DecideCaseSchema,
  example: { reason: 'Looked up at the provider; nothing is to be done.' },
  status: 200,
  reply: DecidedCaseSchema,
  refusals: ['NOT_FOUND', 'INVALID_STATE', 'GOVERNANCE_APPROVAL_REQUIRED'],
  handler: ({ context, call, params: { id }, body }) =>
    decideCase(context, call, { decision: decisions.alarmDismissed, id, ...body }),
});

export const caseRoutes: AnyRoute[] = [
  getCases,
  settleRefund,
  closeReceivable,
  takePayment,
  dismissPayment,
  dismissAlarm,
];
