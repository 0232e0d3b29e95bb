import { z } from 'zod';
import { DisputeReference, TopUpReference } from '../schema.ts';

export const HoldSchema = z
  .object({
    id: z.string(),
    amount_cents: z.int(),
    invocation_id: z
      .string()
      .nullable()
      .describe('The open invocation that it is for: its price, and the most that its execution can cost.'),
    refund_id: z.string().nullable().describe('The refund under way that it is for.'),
    model_call_id: z.string().nullable().describe('The classification by a model that it is for.'),
    created_at: z.iso.datetime(),
  })
  .meta({
    id: 'Hold',
    description: 'Money that is promised and has not moved yet: one of the parts of held_cents.',
    examples: [
      {
        id: 'hld_01K9ZC4T0M3Q8V6W2X5Y7ZABCD',
        amount_cents: 25,
        invocation_id: 'inv_01K9ZC4T0M3Q8V6W2X5Y7ZABCD',
        refund_id: null,
        model_call_id: null,
        created_at: '2026-11-21T12:00:00.000Z',
      },
    ],
  });
export type Hold = z.infer<typeof HoldSchema>;

export const ReceivableSchema = z
  .object({
    id: z.string(),
    amount_cents: z
      .int()
      .describe('The sum that the wallet could not pay when the money was taken back, less what was cancelled since.'),
    paid_cents: z.int(),
    owed_cents: z.int().describe('The sum that is still owed: one of the parts of receivable_cents.'),
    top_up: TopUpReference.describe('The top-up whose payment was taken back.'),
    dispute: DisputeReference.describe('The dispute by which it was taken back; null: by a refund at the provider.'),
    created_at: z.iso.datetime(),
  })
  .meta({
    id: 'Receivable',
    description: 'A debt of a wallet, open or paid, since a payment was taken back.',
    examples: [
      {
        id: 'dispute:dp_1Q2w3E4r5T6y7U:1',
        amount_cents: 700,
        paid_cents: 200,
        owed_cents: 500,
        top_up: { id: 'top_01K9ZC4T0M3Q8V6W2X5Y7ZABCD', transaction_id: 'txn_01K9ZC4T0M3Q8V6W2X5Y7ZABCD' },
        dispute: { id: 'dp_1Q2w3E4r5T6y7U', status: 'lost' },
        created_at: '2026-11-21T12:00:00.000Z',
      },
    ],
  });
export type Receivable = z.infer<typeof ReceivableSchema>;
