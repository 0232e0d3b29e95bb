import { z } from 'zod';
import { cursorList } from '../../../http/lists/pagination.ts';
import { route, type AnyRoute } from '../../../http/route.ts';
import { listHoldRows, listReceivableRows } from './queries.ts';
import { HoldSchema, ReceivableSchema } from './schema.ts';

const paging = { maximum: 100, standard: 20 };
const holds = cursorList({ name: 'holds', item: HoldSchema, position: z.object({ id: z.string() }), ...paging });
const receivables = cursorList({
  name: 'receivables',
  item: ReceivableSchema,
  position: z.object({ created_at: z.string(), id: z.string() }),
  ...paging,
});

export const getHolds = route({
  method: 'get',
  path: '/v1/billing/holds',
  operation: 'listHolds',
  tag: 'billing',
  summary: 'List what is held of your wallet, and for what, newest first',
  description:
    'Their sum is `held_cents` of the balance. A hold ends when its invocation ends: it is captured or released then.',
  audience: 'anyone',
  query: z.object(holds.query),
  status: 200,
  reply: holds.reply,
  refusals: ['INVALID_CURSOR'],
  handler: async (request) => {
    const page = { before: holds.after(request)?.id ?? null, limit: request.query.limit + 1 };
    const rows = await listHoldRows(request.context.pool, request.caller.operatorId, page);
    return holds.answer(request, [...rows], ({ id }) => ({ id }));
  },
});

export const getReceivables = route({
  method: 'get',
  path: '/v1/billing/receivables',
  operation: 'listReceivables',
  tag: 'billing',
  summary: 'List what your wallet owes or has owed, newest first',
  description:
    'A debt comes about where a payment is taken back after its money was spent. The next money that becomes available pays it first.',
  audience: 'anyone',
  query: z.object(receivables.query),
  status: 200,
  reply: receivables.reply,
  refusals: ['INVALID_CURSOR'],
  handler: async (request) => {
    const page = { before: receivables.after(request), limit: request.query.limit + 1 };
    const rows = await listReceivableRows(request.context.pool, request.caller.operatorId, page);
    return receivables.answer(request, [...rows], ({ created_at, id }) => ({ created_at, id }));
  },
});

export const promisedRoutes: AnyRoute[] = [getHolds, getReceivables];
