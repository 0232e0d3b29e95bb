import { z } from 'zod';
import { cursorList } from '../../../http/lists/pagination.ts';
import { route, type AnyRoute } from '../../../http/route.ts';
import { readRefund, refundTransaction } from './create.ts';
import { listRefundRows } from './queries.ts';
import { RefundSchema } from './schema.ts';

export const postRefund = route({
  method: 'post',
  path: '/v1/billing/refund/:transactionId',
  operation: 'refundTransaction',
  tag: 'billing',
  summary: 'Refund a top-up to the original payment method',
  description:
    'Refunds the whole top-up, within 30 days and while the wallet still has all of it available. 200 when the payment provider ' +
    'has done it; 202 when that takes longer than ten seconds: read the refund until it has succeeded.',
  audience: 'admin',
  params: z.object({ transactionId: z.string() }),
  status: 200,
  otherStatus: 202,
  reply: RefundSchema,
  refusals: [
    'ALREADY_REFUNDED',
    'BALANCE_BELOW_TOPUP',
    'NOT_FOUND',
    'NOT_REFUNDABLE',
    'PAYMENT_REFUSED',
    'PAYMENTS_NOT_CONFIGURED',
    'REFUND_WINDOW_EXPIRED',
  ],
  handler: ({ context, call, params, signal }) => refundTransaction(context, call, { ...params, signal }),
});

const pages = cursorList({
  name: 'refunds',
  item: RefundSchema,
  position: z.object({ refund_id: z.string() }),
  maximum: 100,
  standard: 20,
});

export const getRefunds = route({
  method: 'get',
  path: '/v1/billing/refunds',
  operation: 'listRefunds',
  tag: 'billing',
  summary: 'List the refunds that you requested, newest first',
  description:
    'Each names its top-up. Its money is held from the request on, until the provider has refunded or refused it.',
  audience: 'anyone',
  query: z.object({
    ...pages.query,
    transaction_id: z
      .string()
      .optional()
      .meta({ description: 'Those of this top-up alone, by its row of the wallet.' }),
  }),
  status: 200,
  reply: pages.reply,
  refusals: ['INVALID_CURSOR'],
  handler: async (request) => {
    const before = pages.after(request)?.refund_id ?? null;
    const { limit, transaction_id: transactionId } = request.query;
    const page = { before, limit: limit + 1, transactionId };
    const rows = await listRefundRows(request.context.pool, request.caller.operatorId, page);
    return pages.answer(request, [...rows], ({ refund_id }) => ({ refund_id }));
  },
});

const getRefund = route({
  method: 'get',
  path: '/v1/billing/refunds/:id',
  operation: 'getRefund',
  tag: 'billing',
  summary: 'Read a refund',
  description: '`status` says whether the provider has paid it; until then its amount is held.',
  audience: 'anyone',
  params: z.object({ id: z.string() }),
  status: 200,
  reply: RefundSchema,
  refusals: ['NOT_FOUND'],
  handler: async ({ context, caller, params: { id } }) => ({
    status: 200,
    body: await readRefund(context.pool, { id, operatorId: caller.operatorId }),
  }),
});

export const refundRoutes: AnyRoute[] = [postRefund, getRefunds, getRefund];
