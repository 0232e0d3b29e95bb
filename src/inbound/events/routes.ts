import { z } from 'zod';
import { notFound } from '../../errors/carnet-error.ts';
import { cursorList } from '../../http/lists/pagination.ts';
import { route, type AnyRoute } from '../../http/route.ts';
import { assertEndpoint } from '../endpoints/read.ts';
import { findEvent, listEvents } from './queries.ts';
import { markFindingHarmless, replayEvent } from './replay.ts';
import { readContent } from './read-content.ts';
import { EventFilterSchema, InboundEventSchema, MarkHarmlessSchema, ReadContentSchema } from './schema.ts';

const tag = 'inbound';
const params = z.object({ id: z.string() });
const eventParams = z.object({ id: z.string(), eventId: z.string() });

const pages = cursorList({
  name: 'events',
  item: InboundEventSchema,
  position: z.string(),
  maximum: 200,
  standard: 50,
});

export const getEvents = route({
  method: 'get',
  path: '/v1/operator/inbound-webhooks/:id/events',
  operation: 'listInboundEvents',
  tag,
  summary: 'List what came to an endpoint, newest first',
  description: 'With verdict and outcome, without content. Filters are kept in the cursor.',
  audience: 'operator',
  params,
  query: z.object({ ...pages.query, ...EventFilterSchema.shape }),
  status: 200,
  reply: pages.reply,
  refusals: ['INVALID_CURSOR'],
  handler: async (request) => {
    const {
      context,
      caller,
      params: { id },
      query,
    } = request;
    const { limit, cursor: _cursor, ...filter } = query;
    await assertEndpoint(context, caller, id);
    const rows = await listEvents(context.pool, {
      endpointId: id,
      filter,
      limit: limit + 1,
      before: pages.after(request),
    });
    return pages.answer(request, [...rows], ({ id: last }) => last);
  },
});

export const getEvent = route({
  method: 'get',
  path: '/v1/operator/inbound-webhooks/:id/events/:eventId',
  operation: 'getInboundEvent',
  tag,
  summary: 'Show an event with its verdict and its forwards',
  description:
    'The findings of the scanner, by place, and the outcome of each forward. The content has a call of its own, for people.',
  audience: 'operator',
  params: eventParams,
  status: 200,
  reply: InboundEventSchema,
  handler: async ({ context, caller, params: { id, eventId } }) => {
    const event = await findEvent(context.pool, { operatorId: caller.operatorId, endpointId: id, id: eventId });
    if (event === null) throw notFound('event');
    return { status: 200, body: event };
  },
});

export const getContent = route({
  method: 'get',
  path: '/v1/operator/inbound-webhooks/:id/events/:eventId/content',
  operation: 'getInboundEventContent',
  tag,
  summary: 'Read what came of an event, with its findings marked',
  description:
    'For people who decide about it. Of a long content the beginnings are shown, and what stands around each finding. Each read has an audit event.',
  audience: 'person',
  params: eventParams,
  status: 200,
  reply: ReadContentSchema,
  handler: ({ context, call, params: { id, eventId } }) => readContent(context, call, { endpointId: id, id: eventId }),
});

export const postReplay = route({
  method: 'post',
  path: '/v1/operator/inbound-webhooks/:id/events/:eventId/replay',
  operation: 'replayInboundEvent',
  tag,
  summary: 'Scan an event again, and forward it where the policy lets it pass',
  description:
    'Another attempt, with the scanner and the policy of today: a verdict that the policy holds is not forwarded by a replay either. Of an ' +
    'event that was `blocked` it needs a person.',
  audience: 'admin',
  params: eventParams,
  status: 200,
  reply: InboundEventSchema,
  refusals: ['INVALID_STATE', 'ENDPOINT_REVOKED', 'GOVERNANCE_APPROVAL_REQUIRED'],
  handler: ({ context, call, params: { id, eventId } }) => replayEvent(context, call, { endpointId: id, id: eventId }),
});

export const postHarmless = route({
  method: 'post',
  path: '/v1/operator/inbound-webhooks/:id/events/:eventId/harmless',
  operation: 'markInboundFindingHarmless',
  tag,
  summary: 'Mark a finding as harmless',
  description:
    'It is kept with the event, through replays too, and counted; neither its verdict nor the scanner changes. It says that a person has looked, so it needs one.',
  audience: 'admin',
  params: eventParams,
  body: MarkHarmlessSchema,
  example: { finding: 0 },
  status: 200,
  reply: InboundEventSchema,
  refusals: ['GOVERNANCE_APPROVAL_REQUIRED'],
  handler: ({ context, call, params: { id, eventId }, body: { finding } }) =>
    markFindingHarmless(context, call, { endpointId: id, id: eventId, finding }),
});

export const eventRoutes: AnyRoute[] = [getEvents, getEvent, getContent, postReplay, postHarmless];
