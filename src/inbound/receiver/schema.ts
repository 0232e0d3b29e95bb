import { z } from 'zod';
import { EventStatusSchema, VerdictSchema } from '../events/schema.ts';

export const ReceivedEventSchema = z
  .object({
    event_id: z.string(),
    duplicate: z.boolean().meta({ description: 'It was received before; nothing is done a second time.' }),
    status: EventStatusSchema,
    verdict: VerdictSchema.nullable().meta({ description: 'null: it is not scanned yet.' }),
    forwarded: z.boolean(),
  })
  .meta({
    id: 'ReceivedInboundEvent',
    description: 'What became of a request of a provider.',
    examples: [
      {
        event_id: 'iev_01K0000000000000000000000A',
        duplicate: false,
        status: 'forwarded',
        verdict: { verdict: 'clean', severity: 'none', findings: [] },
        forwarded: true,
      },
    ],
  });
export type ReceivedEvent = z.input<typeof ReceivedEventSchema>;
