import { z } from 'zod';
import { TopUpReference } from '../../wallet/schema.ts';

export const DisputeSchema = z
  .object({
    id: z.string().describe("The payment provider's."),
    status: z.string().describe("In the provider's words, e.g. `needs_response`, `won` or `lost`."),
    amount_cents: z.int().describe('The disputed sum.'),
    taken_cents: z
      .int()
      .describe('The sum that it has taken of the wallet, what the wallet owes for it included, less what came back.'),
    top_up: TopUpReference.describe('The top-up whose payment is disputed; null: a payment for a subscription.'),
    subscription_id: z.string().nullable().describe("The provider's, where a payment for a subscription is disputed."),
    reported_at: z.iso.datetime().describe('When the provider last said something about it.'),
  })
  .meta({
    id: 'Dispute',
    description: 'A payment that was disputed at the bank of its payer.',
    examples: [
      {
        id: 'dp_1Q2w3E4r5T6y7U',
        status: 'needs_response',
        amount_cents: 1_000,
        taken_cents: 1_000,
        top_up: { id: 'top_01K9ZC4T0M3Q8V6W2X5Y7ZABCD', transaction_id: 'txn_01K9ZC4T0M3Q8V6W2X5Y7ZABCD' },
        subscription_id: null,
        reported_at: '2026-11-21T12:00:00.000Z',
      },
    ],
  });
export type Dispute = z.infer<typeof DisputeSchema>;
