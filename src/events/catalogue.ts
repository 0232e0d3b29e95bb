import { z } from 'zod';
import type { JsonObject } from '../json/value.ts';
import type { EventTypeSchema } from './schema.ts';
import { eventDefinitions } from './types.ts';

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
      timestamp: '2026-11-21T12:15:00.000Z',
    },
  }));

const asJson = (value: object): JsonObject => JSON.parse(JSON.stringify(value)) as JsonObject;
