import { z } from 'zod';
import { cursorList } from '../../../http/lists/pagination.ts';
import { route, type AnyRoute } from '../../../http/route.ts';
import { listDisputeRows } from './queries.ts';
import { DisputeSchema } from './schema.ts';

const pages = cursorList({
  name: 'disputes',
  item: DisputeSchema,
  position: z.object({ id: z.string() }),
  maximum: 100,
  standard: 20,
});

export const getDisputes = route({
  method: 'get',
  path: '/v1/billing/disputes',
  operation: 'listDisputes',
  tag: 'billing',
  summary: 'List the disputes of your payments',
  description:
    'For top-ups and for subscriptions. The disputed money of a top-up leaves the wallet immediately, and comes back where the dispute is won.',
  audience: 'anyone',
  query: z.object(pages.query),
  status: 200,
  reply: pages.reply,
  refusals: ['INVALID_CURSOR'],
  handler: async (request) => {
    const page = { after: pages.after(request)?.id ?? null, limit: request.query.limit + 1 };
    const rows = await listDisputeRows(request.context.pool, request.caller.operatorId, page);
    return pages.answer(request, [...rows], ({ id }) => ({ id }));
  },
});

export const disputeRoutes: AnyRoute[] = [getDisputes];
