import { z } from 'zod';
import type { JsonObject } from '../json/value.ts';
import { ServiceEventSchema, type EventTypeSchema } from './schema.ts';
import { eventDefinitions } from './types.ts';

const SAMPLE_TIME = '2026-11-21T12:15:00.000Z';

/** Every kind of event, with the schema of its payload and a sample. */
export const eventCatalogue = (): z.input<typeof EventTypeSchema>[] =>
  Object.entries(eventDefinitions).map(([type, { subscription, description, severities, payload, sample }]) => ({
    event_type: type,
    description,
    severities: [...severities],
    for_rules: subscription !== 'none',
    optional: subscription === 'optional',
    payload_schema: asJson(z.toJSONSchema(payload, { io: 'input' })),
    sample: {
      event_type: type,
      severity: severities[0],
      payload: asJson(sample),
      timestamp: SAMPLE_TIME,
    },
  }));

/** `passport.missed_checkout` → `PassportMissedCheckout` */
const pascal = (type: string): string => type.replaceAll(/(?:^|[._])(\w)/g, (_, first: string) => first.toUpperCase());

/** The body that a webhook is sent of each kind of event, with a name of its own, for the document. */
export const notificationBodies = () =>
  Object.entries(eventDefinitions).map(([type, { description, severities, payload, sample }]) => ({
    type,
    name: `${pascal(type)}Notification`,
    description,
    body: ServiceEventSchema.omit({ id: true })
      .extend({ event_type: z.literal(type), severity: z.enum(severities), payload })
      .meta({ id: `${pascal(type)}Notification`, description }),
    example: { event_type: type, severity: severities[0], payload: asJson(sample), timestamp: SAMPLE_TIME },
  }));

const asJson = (value: object): JsonObject => JSON.parse(JSON.stringify(value)) as JsonObject;
