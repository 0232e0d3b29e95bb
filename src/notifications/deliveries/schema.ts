import { z } from 'zod';
import { EventFilterSchema } from '../../events/index.ts';
import { instant } from '../../fields/instant.ts';
import { ChannelTypeSchema } from '../channels/kinds.ts';

/** Where a delivery is; it never changes once it has ended. */
export const DeliveryStatusSchema = z.enum(['sending', 'delivered', 'failed', 'unknown', 'suppressed_cap']).meta({
  description:
    '`sending`: it waits for its turn, or its one call is under way. `delivered`: the receiver answered 2xx, or the mail server or SMS ' +
    'provider took it. `failed`: it was not delivered. `unknown`: it may have been. `suppressed_cap`: the month has no more of them.',
});

export const DeliverySchema = z
  .object({
    id: z.string(),
    event_id: z
      .string()
      .meta({ description: '`webhook-id` of the request: every delivery of one event has the same.' }),
    event_type: z.string(),
    destination_id: z.string(),
    channel_type: ChannelTypeSchema,
    ordinal: z.int().meta({
      description: 'The number of the delivery of this event at this destination: 0, and one more for each redelivery.',
    }),
    status: DeliveryStatusSchema,
    reason: z
      .string()
      .nullable()
      .meta({ description: 'Why it was not delivered, one word; docs/notifications.md lists them.' }),
    status_code: z.int().nullable().meta({ description: 'The HTTP status of the receiver, where it gave one.' }),
    error: z.string().nullable().meta({ description: 'A sentence about what went wrong.' }),
    left_out: z.int().meta({
      description:
        'Of `queue_full`: further events that the full queue left out within a minute of this one, at least; the feed has them. 0 otherwise.',
    }),
    latency_ms: z.int().nullable().meta({ description: 'From the beginning of the call to its end.' }),
    created_at: z.string(),
    started_at: z.string().nullable().meta({ description: 'null: it has not begun, or never will.' }),
    ended_at: z.string().nullable(),
  })
  .meta({
    id: 'Delivery',
    description: 'The outcome of one event at one destination. Deliveries are kept for 30 days.',
    examples: [
      {
        id: 'dlv_01K0000000000000000000000A',
        event_id: 'evt_01K0000000000000000000000A',
        event_type: 'passport.flagged',
        destination_id: 'dst_01K0000000000000000000000A',
        channel_type: 'webhook',
        ordinal: 0,
        status: 'failed',
        reason: 'http_status',
        status_code: 500,
        error: 'The receiver answered 500.',
        left_out: 0,
        latency_ms: 84,
        created_at: '2026-11-21T12:00:00.000Z',
        started_at: '2026-11-21T12:00:00.600Z',
        ended_at: '2026-11-21T12:00:00.684Z',
      },
    ],
  });
export type Delivery = z.infer<typeof DeliverySchema>;

export const DeliveryFilterSchema = z.object({
  destination_id: z.string().optional(),
  event_id: z.string().optional(),
  event_type: EventFilterSchema.optional(),
  status: DeliveryStatusSchema.optional(),
});
export type DeliveryFilter = z.infer<typeof DeliveryFilterSchema>;

/** Statuses of what may be worth sending again. */
const Undelivered = z.enum(['failed', 'unknown', 'suppressed_cap']);

export const RecoverDeliveriesSchema = z
  .strictObject({
    destination_id: z.string(),
    since: instant.meta({ description: 'Deliveries made from here on.' }),
    until: instant.meta({ description: 'And before this moment, or that of the call where it is earlier.' }),
    statuses: z
      .array(Undelivered)
      .min(1)
      .max(3)
      .default(['failed', 'unknown'])
      .meta({ description: 'Which of them are made again.' }),
  })
  .refine(({ since, until }) => Date.parse(since) < Date.parse(until), {
    path: ['until'],
    message: 'must be later than since',
  });
export type RecoverDeliveries = z.infer<typeof RecoverDeliveriesSchema>;

export const RecoveredSchema = z
  .object({
    recovered: z.int().meta({ description: 'How many deliveries were made, at most 1,000 a call.' }),
    has_more: z
      .boolean()
      .meta({ description: 'The same call with this `until` makes the next ones, once those that wait were sent.' }),
    until: z.string().meta({
      description:
        'The end of the time that was looked at: `until` of the call, or its moment. What was made again is not in it, so a next call with it makes nothing twice.',
    }),
  })
  .meta({
    id: 'RecoveredDeliveries',
    examples: [{ recovered: 12, has_more: false, until: '2026-11-22T00:00:00.000Z' }],
  });
export type Recovered = z.infer<typeof RecoveredSchema>;

export const TestedSchema = z
  .object({
    delivered: z.boolean(),
    delivery_id: z.string(),
    status: DeliveryStatusSchema,
    status_code: z.int().nullable(),
    reason: z.string().nullable(),
    error: z.string().nullable(),
  })
  .meta({
    id: 'TestedDestination',
    examples: [
      {
        delivered: true,
        delivery_id: 'dlv_01K0000000000000000000000A',
        status: 'delivered',
        status_code: 204,
        reason: null,
        error: null,
      },
    ],
  });
export type Tested = z.infer<typeof TestedSchema>;
