import { z } from 'zod';

export const DifferingPaymentSchema = z
  .object({
    id: z.string(),
    top_up_id: z.string().describe('The top-up that it was paid for.'),
    differs: z.enum(['amount', 'session']).describe('`amount`: another sum or currency. `session`: another checkout.'),
    amount_cents: z.int().nullable().describe('The sum that was paid, in hundredths of `currency`.'),
    currency: z.string().nullable(),
    status: z
      .enum(['open', 'taken', 'dismissed'])
      .describe(
        '`open`: it waits for a person of the platform. `taken`: credited. `dismissed`: given back at the provider.',
      ),
    transaction_id: z.string().nullable().describe('The credit of one that was taken.'),
    created_at: z.iso.datetime(),
    decided_at: z.iso.datetime().nullable(),
  })
  .meta({
    id: 'DifferingPayment',
    description:
      'A payment that came in and is not the one that was requested: nothing is credited before a person takes it.',
    examples: [
      {
        id: 'dif_01K9ZC4T0M3Q8V6W2X5Y7ZABCD',
        top_up_id: 'top_01K9ZC4T0M3Q8V6W2X5Y7ZABCD',
        differs: 'amount',
        amount_cents: 900,
        currency: 'usd',
        status: 'open',
        transaction_id: null,
        created_at: '2026-11-21T12:00:00.000Z',
        decided_at: null,
      },
    ],
  });
export type DifferingPayment = z.infer<typeof DifferingPaymentSchema>;
