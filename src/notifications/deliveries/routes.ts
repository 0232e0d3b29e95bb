import { z } from 'zod';
import { cursorList } from '../../http/lists/pagination.ts';
import { route, type AnyRoute } from '../../http/route.ts';
import { notFound } from '../../errors/carnet-error.ts';
import { findDelivery, listDeliveries } from './queries.ts';
import { recoverDeliveries, redeliver } from './redeliver.ts';
import {
  DeliveryFilterSchema,
  DeliverySchema,
  RecoverDeliveriesSchema,
  RecoveredSchema,
  TestedSchema,
} from './schema.ts';
import { testDestination } from './test-destination.ts';

const params = z.object({ id: z.string() });
const tag = 'notifications';

const pages = cursorList({
  name: 'deliveries',
  item: DeliverySchema,
  position: z.string(),
  maximum: 200,
  standard: 50,
});

export const getDeliveries = route({
  method: 'get',
  path: '/v1/notifications/deliveries',
  operation: 'listDeliveries',
  tag,
  summary: 'List the outcome of each event at each destination, newest first',
  description: 'Deliveries are kept for 30 days.',
  audience: 'admin',
  query: z.object({ ...pages.query, ...DeliveryFilterSchema.shape }),
  status: 200,
  reply: pages.reply,
  refusals: ['INVALID_CURSOR'],
  handler: async (request) => {
    const { context, caller, query } = request;
    const { limit, cursor: _cursor, ...filter } = query;
    const rows = await listDeliveries(context.pool, caller.operatorId, {
      filter,
      limit: limit + 1,
      before: pages.after(request),
    });
    return pages.answer(request, [...rows], ({ id }) => id);
  },
});

export const getDelivery = route({
  method: 'get',
  path: '/v1/notifications/deliveries/:id',
  operation: 'getDelivery',
  tag,
  summary: 'Show a delivery',
  description:
    'A webhook has what its receiver answered. `unknown` means that the call was begun and nobody knows whether it arrived: redeliver it.',
  audience: 'admin',
  params,
  status: 200,
  reply: DeliverySchema,
  refusals: ['NOT_FOUND'],
  handler: async ({ context, caller, params: { id } }) => {
    const body = await findDelivery(context.pool, caller.operatorId, id);
    if (body === null) throw notFound('delivery');
    return { status: 200, body };
  },
});

export const postRecover = route({
  method: 'post',
  path: '/v1/notifications/deliveries/recover',
  operation: 'recoverDeliveries',
  tag,
  summary: 'Send again what was not delivered to a destination in a time',
  description:
    'Makes a new delivery, under the same `webhook-id`, of each event whose last delivery was made in that time and has one of the statuses; ' +
    '1,000 a call at most, the oldest first, and no more than may wait. `until` reaches up to the moment of the call at most, and is answered: a ' +
    'next call with it leaves out what this one made.',
  audience: 'admin',
  body: RecoverDeliveriesSchema,
  example: {
    destination_id: 'dst_01K0000000000000000000000A',
    since: '2026-11-21T00:00:00Z',
    until: '2026-11-22T00:00:00Z',
    statuses: ['failed', 'unknown'],
  },
  status: 200,
  reply: RecoveredSchema,
  refusals: ['NOT_FOUND', 'INVALID_STATE'],
  handler: ({ context, call, body }) => recoverDeliveries(context, call, body),
});

export const postRedeliver = route({
  method: 'post',
  path: '/v1/notifications/deliveries/:id/redeliver',
  operation: 'redeliver',
  tag,
  summary: 'Send an event to a destination again',
  description:
    'Makes a new delivery under the same `webhook-id` with the same bytes. The receiver may have taken the first one: it knows the event by that id.',
  audience: 'admin',
  params,
  status: 201,
  reply: DeliverySchema,
  refusals: ['NOT_FOUND', 'INVALID_STATE'],
  handler: ({ context, call, params: { id } }) => redeliver(context, call, id),
});

export const postTest = route({
  method: 'post',
  path: '/v1/notifications/destinations/:id/test',
  operation: 'testDestination',
  tag,
  summary: 'Send a test to a verified destination, and wait for what becomes of it',
  description: 'The event is `notification.test`. It counts against the allowance of the tier as any other does.',
  audience: 'admin',
  params,
  status: 200,
  reply: TestedSchema,
  refusals: ['NOT_FOUND', 'DESTINATION_UNVERIFIED'],
  handler: ({ context, call, params: { id }, signal }) => testDestination(context, call, { destinationId: id, signal }),
});

export const deliveryRoutes: AnyRoute[] = [getDeliveries, getDelivery, postRecover, postRedeliver, postTest];
