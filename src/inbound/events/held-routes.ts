import { z } from 'zod';
import { cursorList } from '../../http/lists/pagination.ts';
import { route, type AnyRoute } from '../../http/route.ts';
import { readHeld } from './held.ts';
import { listHeld } from './queries.ts';
import { HeldEventSchema, ReadHeldEventSchema } from './schema.ts';

const tag = 'inbound';
const position = z.string();

const held = cursorList({ name: 'events', item: HeldEventSchema, position, maximum: 100, standard: 25 });
/** Each event is opened and read. */
const heldRead = cursorList({ name: 'events', item: ReadHeldEventSchema, position, maximum: 25, standard: 10 });

export const getHeld = route({
  method: 'get',
  path: '/v1/operator/held-inbound-events',
  operation: 'listHeldInboundEvents',
  tag,
  summary: 'List what is held at all endpoints, newest first',
  description: 'Events that are `blocked`, with the names of their endpoints and their findings, without content.',
  audience: 'operator',
  query: z.object(held.query),
  status: 200,
  reply: held.reply,
  refusals: ['INVALID_CURSOR'],
  handler: async (request) => {
    const { context, caller, query } = request;
    const page = { operatorId: caller.operatorId, limit: query.limit + 1, before: held.after(request) };
    return held.answer(request, [...(await listHeld(context.pool, page))], ({ id }) => id);
  },
});

export const getHeldRead = route({
  method: 'get',
  path: '/v1/operator/held-inbound-events/read',
  operation: 'readHeldInboundEvents',
  tag,
  summary: 'List what is held, with senders and subjects',
  description:
    'For people who decide about it. Each call has an audit event. `sender` and `subject` are null for what is no mail, is larger than 256 KiB, ' +
    'cannot be read, or is no longer kept.',
  audience: 'person',
  query: z.object(heldRead.query),
  isHeavy: () => true,
  status: 200,
  reply: heldRead.reply,
  refusals: ['INVALID_CURSOR'],
  handler: async (request) => {
    const { context, caller, call, query } = request;
    const page = { operatorId: caller.operatorId, limit: query.limit + 1, before: heldRead.after(request) };
    const rows = await listHeld(context.pool, page);
    const { body } = await readHeld(context, call, rows.slice(0, query.limit));
    // The row behind the page says that there is more.
    const next = rows.slice(query.limit).map((row) => ({ ...row, sender: null, subject: null }));
    return heldRead.answer(request, [...body, ...next], ({ id }) => id);
  },
});

export const heldRoutes: AnyRoute[] = [getHeld, getHeldRead];
