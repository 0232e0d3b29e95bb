import { z } from 'zod';
import { cursorList } from '../../http/lists/pagination.ts';
import { route, type AnyRoute } from '../../http/route.ts';
import { listAuditEvents } from './queries.ts';
import { AuditEventSchema, auditFilters } from './schema.ts';

const pages = cursorList({
  name: 'audit_events',
  item: AuditEventSchema,
  position: z.int(),
  maximum: 200,
  standard: 50,
});

export const getAuditEvents = route({
  method: 'get',
  path: '/v1/audit-events',
  operation: 'listAuditEvents',
  tag: 'accounts',
  summary: 'List what was changed, by whom, newest first',
  description:
    'Each change leaves an event in the same transaction: who made it, with which key, on what. The tier says how long events are kept. ' +
    'A page with filters looks through 5,000 events at most: it may be short or empty, and `has_more` says whether to read on.',
  audience: 'admin',
  query: z.object({ ...pages.query, ...auditFilters }),
  status: 200,
  reply: pages.reply,
  refusals: ['INVALID_CURSOR'],
  handler: async (request) => {
    const { context, caller, query } = request;
    const { limit, cursor: _, ...filters } = query;
    const { events, searchedTo } = await listAuditEvents(context.pool, caller.operatorId, {
      limit: limit + 1,
      before: pages.after(request),
      filters,
    });
    const answered = pages.answer(request, [...events], ({ id }) => id);
    if (answered.body.has_more || searchedTo === null) return answered;
    const { members, links } = pages.next(request, searchedTo);
    return { ...answered, body: { ...answered.body, ...members }, links };
  },
});

export const auditRoutes: AnyRoute[] = [getAuditEvents];
