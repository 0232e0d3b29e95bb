import { z } from 'zod';
import { cursorList } from '../../../http/lists/pagination.ts';
import { route, type AnyRoute } from '../../../http/route.ts';
import { listDifferingRows } from './queries.ts';
import { DifferingPaymentSchema } from './schema.ts';

const pages = cursorList({
  name: 'differing_payments',
  item: DifferingPaymentSchema,
  position: z.object({ id: z.string() }),
  maximum: 100,
  standard: 20,
});

export const getDifferingPayments = route({
  method: 'get',
  path: '/v1/billing/differing-payments',
  operation: 'listDifferingPayments',
  tag: 'billing',
  summary: 'List your payments that are not the ones requested, newest first',
  description:
    'Another amount or currency was paid than the page asked for. Nothing is credited until an administrator of the platform decides.',
  audience: 'anyone',
  query: z.object(pages.query),
  status: 200,
  reply: pages.reply,
  refusals: ['INVALID_CURSOR'],
  handler: async (request) => {
    const page = { before: pages.after(request)?.id ?? null, limit: request.query.limit + 1 };
    const rows = await listDifferingRows(request.context.pool, request.caller.operatorId, page);
    return pages.answer(request, [...rows], ({ id }) => ({ id }));
  },
});

export const differingRoutes: AnyRoute[] = [getDifferingPayments];
