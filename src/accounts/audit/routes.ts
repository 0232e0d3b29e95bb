import { z } from 'zod';
import { cursorList } from '../../http/lists/pagination.ts';
import { route, type AnyRoute } from '../../http/route.ts';
import { listAuditEvents } from './queries.ts';
import { AuditEventSchema } from './schema.ts';

const pages = cursorList({
  name: 'audit_events',
  item: AuditEventSchema,
  position: z.int(),
  maximum: 200,
  standard: 50,
});

const getAuditEvents = route({
  method: 'get',
  path: '/v1/audit-events',
  operation: 'listAuditEvents',
  tag: 'accounts',
  summary: 'List what was changed, by whom, newest first',
  description:
    'Each change leaves an event in the same transaction: who made it, with which key, on what. The tier says how long events are kept.',
  audience: 'admin',
  query: z.object(pages.query),
  status: 200,
  reply: pages.reply,
  refusals: ['INVALID_CURSOR'],
  handler: async (request) => {
    const { context, caller, query } = request;
    const rows = await listAuditEvents(context.pool, caller.operatorId, {
      limit: query.limit + 1,
      before: pages.after(request),
    });
    return pages.answer(request, [...rows], ({ id }) => id);
  },
});

export const auditRoutes: AnyRoute[] = [getAuditEvents];
