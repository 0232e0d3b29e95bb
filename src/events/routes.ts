import { z } from 'zod';
import { cursorFeed } from '../http/lists/pagination.ts';
import { queryInstant } from '../http/query.ts';
import { route, type AnyRoute } from '../http/route.ts';
import { eventCatalogue } from './catalogue.ts';
import { FeedOrderSchema, FeedPosition } from './queries.ts';
import { readEvent, readFeed } from './read-feed.ts';
import { EventTypeSchema, ServiceEventSchema } from './schema.ts';
import { EventFilterSchema, SeveritySchema } from './types.ts';

const tag = 'notifications';

const getEventTypes = route({
  method: 'get',
  path: '/v1/notifications/event-types',
  operation: 'listEventTypes',
  tag,
  summary: 'List the kinds of events, with the schema of the payload and a sample of each',
  description:
    'The events that rules can name, and the payload that a webhook is sent for each. Members may be added to payloads: ignore what you do not know.',
  audience: 'admin',
  status: 200,
  reply: z.object({ event_types: z.array(EventTypeSchema) }),
  handler: async () => ({ status: 200, body: { event_types: eventCatalogue() } }),
});

const feed = cursorFeed({
  name: 'events',
  item: ServiceEventSchema,
  position: FeedPosition,
  maximum: 200,
  standard: 50,
  // As long as events are kept: a reader may come back after all of them.
  days: 30,
  inPosition: ['since'],
});

export const getEvents = route({
  method: 'get',
  path: '/v1/events',
  operation: 'listEvents',
  tag,
  summary: 'Read what happened, oldest first, from where you were; or newest first',
  description:
    'A feed for those who would rather pull. Without `cursor` it begins with the oldest event that is kept (30 days), or at `since`. ' +
    '`next_cursor` is always there: keep it, and read on from it later, under the same `event_type` and `severity`. A page looks at 10,000 events, so with ' +
    'filters it may be short or empty and `has_more` all the same. An event is shown a moment after it is ' +
    'committed, once no transaction that began before it can still add another before it. With `order=newest` it begins with the newest event, and ' +
    '`next_cursor` leads to older ones, to the oldest that is kept or to `since`: for somebody who looks at what has just happened. To follow the ' +
    'feed, leave it out. Where the database was restored from a backup, ' +
    'the cursor is INVALID_CURSOR: begin again at `since`, and leave out the ids that you have.',
  audience: 'operator',
  query: z.object({
    ...feed.query,
    event_type: EventFilterSchema.optional(),
    severity: SeveritySchema.optional(),
    order: FeedOrderSchema.default('oldest').meta({ description: 'Which events come first.' }),
    since: queryInstant.optional().meta({
      description:
        'Events of this moment and later ones. For the first page: beside `cursor`, which has it, it does nothing.',
    }),
  }),
  status: 200,
  reply: feed.reply,
  refusals: ['INVALID_CURSOR'],
  handler: async (request) => {
    const { context, caller, query } = request;
    const { limit, cursor: _cursor, order, ...filters } = query;
    const after = feed.after(request);
    const { events, next, more } = await readFeed(context, caller, { order, after, limit, filters });
    return feed.answer(request, { items: events, next, more });
  },
});

export const getEvent = route({
  method: 'get',
  path: '/v1/events/:id',
  operation: 'getEvent',
  tag,
  summary: 'Show an event',
  description:
    'By the id that deliveries have as `event_id` and receivers as `webhook-id`. Events are kept for 30 days.',
  audience: 'operator',
  params: z.object({ id: z.string() }),
  status: 200,
  reply: ServiceEventSchema,
  refusals: ['NOT_FOUND'],
  handler: async ({ context, caller, params: { id } }) => {
    const { seq: _seq, ...body } = await readEvent(context, caller, id);
    return { status: 200, body };
  },
});

export const eventRoutes: AnyRoute[] = [getEventTypes, getEvents, getEvent];
