import { z } from 'zod';
import { cursorList } from '../../../http/lists/pagination.ts';
import { route, type AnyRoute } from '../../../http/route.ts';
import { createTopUp } from './create.ts';
import { endTopUpPage } from './end.ts';
import { listTopUps } from './list.ts';
import { CreateTopUpSchema, ListedTopUpSchema, TopUpSchema } from './schema.ts';

export const postTopUp = route({
  method: 'post',
  path: '/v1/billing/topup',
  operation: 'createTopUp',
  tag: 'billing',
  summary: 'Top up your wallet',
  description:
    'Returns a hosted checkout where a person pays. The wallet is credited when the payment provider reports the payment. ' +
    'Send an Idempotency-Key: the same key leads to the same checkout, also after a 503.',
  audience: 'admin',
  body: CreateTopUpSchema,
  example: { amount_cents: 5_000 },
  status: 200,
  reply: TopUpSchema,
  refusals: ['INVALID_STATE', 'PAYMENT_REFUSED', 'PAYMENTS_NOT_CONFIGURED', 'TEMPORARILY_UNAVAILABLE'],
  handler: ({ context, call, body }) => createTopUp(context, call, body),
});

const pages = cursorList({
  name: 'top_ups',
  item: ListedTopUpSchema,
  position: z.object({ id: z.string() }),
  maximum: 100,
  standard: 20,
});

export const getTopUps = route({
  method: 'get',
  path: '/v1/billing/topups',
  operation: 'listTopUps',
  tag: 'billing',
  summary: 'List your top-ups with the addresses of their pages, newest first',
  description:
    'A page that can still be paid has its address in `checkout_url`. `DELETE /v1/billing/topups/:id` ends one that nobody has paid.',
  audience: 'admin',
  query: z.object({
    ...pages.query,
    state: z.literal('unpaid').optional().describe('Only those that can still be paid.'),
  }),
  status: 200,
  reply: pages.reply,
  refusals: ['INVALID_CURSOR'],
  handler: async (request) => {
    const { context, caller, query } = request;
    const before = pages.after(request)?.id ?? null;
    const rows = await listTopUps(context, caller.operatorId, {
      before,
      unpaid: query.state === 'unpaid',
      limit: query.limit + 1,
    });
    return pages.answer(request, rows, ({ id }) => ({ id }));
  },
});

export const deleteTopUp = route({
  method: 'delete',
  path: '/v1/billing/topups/:id',
  operation: 'endTopUp',
  tag: 'billing',
  summary: 'End the page of a top-up that nobody has paid',
  description:
    'It is closed at the payment provider within seconds; what somebody has paid there by then is credited. Repeating it answers the same.',
  audience: 'admin',
  params: z.object({ id: z.string() }),
  status: 200,
  reply: ListedTopUpSchema,
  refusals: ['INVALID_STATE', 'NOT_FOUND'],
  handler: ({ context, call, params: { id } }) => endTopUpPage(context, call, id),
});

export const topUpRoutes: AnyRoute[] = [postTopUp, getTopUps, deleteTopUp];
