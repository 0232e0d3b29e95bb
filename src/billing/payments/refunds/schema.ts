import { z } from 'zod';

export const refundStatuses = ['pending', 'succeeded', 'failed'] as const;
export type RefundStatus = (typeof refundStatuses)[number];

export const RefundSchema = z
  .object({
    refund_id: z.string(),
    transaction_id: z.string().meta({ description: 'The top-up that is refunded.' }),
    amount_cents: z.int(),
    status: z.enum(refundStatuses),
    created_at: z.iso.datetime(),
  })
  .meta({
    id: 'Refund',
    description:
      'A top-up on its way back to the original payment method. Its amount is held in the wallet until the refund has succeeded.',
    examples: [
      {
        refund_id: 'rfd_01K9ZC4T0M3Q8V6W2X5Y7ZABCD',
        transaction_id: 'txn_01K9ZC4T0M3Q8V6W2X5Y7ZABCD',
        amount_cents: 5000,
        status: 'succeeded',
        created_at: '2026-11-21T12:00:00.000Z',
      },
    ],
  });
export type Refund = z.infer<typeof RefundSchema>;
