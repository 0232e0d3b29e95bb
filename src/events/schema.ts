import { z } from 'zod';
import { jsonObject } from '../fields/objects.ts';
import { SeveritySchema } from './types.ts';

export const ServiceEventSchema = z
  .object({
    id: z.string().meta({ description: 'Also the `webhook-id` of each delivery of it.' }),
    event_type: z.string(),
    severity: SeveritySchema,
    payload: jsonObject.meta({ description: 'Its schema is that of `GET /v1/notifications/event-types`.' }),
    timestamp: z.string().meta({ description: 'When it happened.' }),
  })
  .meta({
    id: 'Event',
    description: 'An event that an operator is told of. A webhook is sent the same members, without `id`.',
    examples: [
      {
        id: 'evt_01K0000000000000000000000A',
        event_type: 'passport.missed_checkout',
        severity: 'warning',
        payload: {
          jti: 'psp_01K0000000000000000000000A',
          agent_id: 'ag_01K0000000000000000000000A',
          expected_by: '2026-11-21T12:00:00.000Z',
        },
        timestamp: '2026-11-21T12:15:00.000Z',
      },
    ],
  });

const sampleEvent = { event_type: 'wallet.low_balance', severity: 'warning' } as const;

export const EventTypeSchema = z
  .object({
    event_type: z.string(),
    description: z.string(),
    severities: z.array(SeveritySchema),
    for_rules: z.boolean().meta({
      description: 'Whether rules can name it; false: it is sent by itself, to the destination that it is about.',
    }),
    optional: z.boolean().meta({
      description: 'Written for operators alone that have a rule which names it; a rule without `events` does not.',
    }),
    payload_schema: jsonObject.meta({
      description: 'JSON Schema 2020-12 of the payload. Members that it does not name may be added.',
    }),
    sample: ServiceEventSchema.omit({ id: true }).meta({ description: 'The body that a webhook is sent.' }),
  })
  .meta({
    id: 'EventType',
    description: 'A kind of event.',
    examples: [
      {
        event_type: sampleEvent.event_type,
        description: 'The available balance has passed below `low_balance_cents` of the operator.',
        severities: ['warning'],
        for_rules: true,
        optional: true,
        payload_schema: {
          type: 'object',
          properties: { balance_cents: { type: 'integer' }, low_balance_cents: { type: 'integer' } },
          required: ['balance_cents', 'low_balance_cents'],
        },
        sample: {
          ...sampleEvent,
          payload: { balance_cents: 975, low_balance_cents: 1_000 },
          timestamp: '2026-11-21T12:00:00.000Z',
        },
      },
    ],
  });
