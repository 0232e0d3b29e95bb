import { z } from 'zod';

/** A life as its rows in `lives` say, and its newest run in Temporal. */
export const LifeSchema = z
  .object({
    id: z.string().meta({ description: 'Its workflow id, `<kind>:<id of the row>`' }),
    kind: z.string(),
    turn_of: z.string().nullable().meta({
      description:
        'The operator, or the recipient of a mail, in whose turn it is delivered; null: nothing of it is due, now or later',
    }),
    messages: z.int().meta({ description: 'How many messages nobody has looked at yet' }),
    is_ready: z.boolean().meta({ description: 'Whether it is to be delivered to Temporal as soon as it is due' }),
    due_at: z.string().nullable().meta({
      description:
        'When somebody looks at the latest; null: nothing of it is due, or only once lives are kept in another store',
    }),
    seen_at: z.string().nullable().meta({ description: 'When it was looked at last; null: not yet, or it is over' }),
    attempts: z
      .int()
      .meta({ description: 'How often it was delivered, or looked at without a run, since a run looked' }),
    refused_at: z.string().nullable().meta({ description: 'Since when Temporal refuses to wake it' }),
    failure: z.string().nullable().meta({ description: 'Why it could not be delivered or looked at, last' }),
    run: z
      .object({
        run_id: z.string(),
        status: z.string().meta({ description: "Temporal's word for it: `RUNNING`, `COMPLETED`, `TERMINATED` …" }),
        started_at: z.string(),
        closed_at: z.string().nullable(),
        url: z.string().nullable().meta({ description: 'Its page in the Temporal UI, where its address is known' }),
      })
      .nullable()
      .meta({ description: 'Its newest run; null: it has none, or Temporal has forgotten it' }),
  })
  .meta({ id: 'Life' });
export type Life = z.output<typeof LifeSchema>;
