import { z } from 'zod';
import { cursorList } from '../../http/lists/pagination.ts';
import { route, type AnyRoute } from '../../http/route.ts';
import { findEarnings, findPayouts } from './queries.ts';
import { EarningsSchema, PayoutSchema } from './schema.ts';

export const getEarnings = route({
  method: 'get',
  path: '/v1/earnings',
  operation: 'getEarnings',
  tag: 'billing',
  summary: 'Read what your skills have earned',
  description:
    'Before commission. Earnings are no part of the wallet: they are paid out to the payout account of the operator.',
  audience: 'anyone',
  status: 200,
  reply: EarningsSchema,
  isHeavy: () => true,
  handler: async ({ context, caller: { operatorId } }) => ({
    status: 200,
    body: await findEarnings(context.pool, { operatorId, ageDays: context.config.payoutTopUpAgeDays }),
  }),
});

const pages = cursorList({
  name: 'payouts',
  item: PayoutSchema,
  position: z.object({ month: z.string() }),
  maximum: 100,
  standard: 20,
});

export const getPayouts = route({
  method: 'get',
  path: '/v1/payouts',
  operation: 'listPayouts',
  tag: 'billing',
  summary: 'List the monthly statements of your earnings, newest first',
  description:
    'Statements are made on the first of a month at 03:00 UTC and paid out to the payout_account of the operator.',
  audience: 'anyone',
  query: z.object(pages.query),
  status: 200,
  reply: pages.reply,
  refusals: ['INVALID_CURSOR'],
  handler: async (request) => {
    const { context, caller, query } = request;
    const before = pages.after(request)?.month ?? null;
    const rows = await findPayouts(context.pool, caller.operatorId, { before, limit: query.limit + 1 });
    return pages.answer(request, [...rows], ({ month }) => ({ month }));
  },
});

export const payoutRoutes: AnyRoute[] = [getEarnings, getPayouts];
