import { z } from 'zod';

export const CreateTopUpSchema = z
  .strictObject({
    amount_cents: z.int().min(1_000).max(1_000_000).meta({ description: 'US cents, $10 to $10,000.' }),
  })
  .meta({ id: 'CreateTopUp' });
export type CreateTopUp = z.infer<typeof CreateTopUpSchema>;

export const TopUpSchema = z
  .object({
    checkout_url: z.string().meta({ description: 'Where a person pays; open it in a browser.' }),
    session_id: z.string(),
  })
  .meta({
    id: 'TopUp',
    description:
      'A hosted checkout. The wallet is credited when the checkout is paid, typically within seconds: poll the balance.',
    examples: [{ checkout_url: 'https://checkout.stripe.com/c/pay/cs_test_a1b2c3', session_id: 'cs_test_a1b2c3' }],
  });
export type TopUp = z.infer<typeof TopUpSchema>;

export const topUpStatuses = [
  'opening',
  'open',
  'processing',
  'paid',
  'failed',
  'expired',
  'refused',
  'differs',
] as const;
export type TopUpStatus = (typeof topUpStatuses)[number];

/** Whether a top-up waits to be paid, until its time is over. */
export const isUnpaid = (status: TopUpStatus): boolean => status === 'opening' || status === 'open';

export const ListedTopUpSchema = z
  .object({
    id: z.string(),
    amount_cents: z.int(),
    status: z.enum(topUpStatuses).meta({
      description:
        '`opening`: its page is being opened. `open`: it can be paid. `processing`: it was paid in a way that takes days. `expired`: it can no ' +
        'longer be paid, by its time or since it was ended. `refused`: the provider refused to open it. `differs`: what was paid is not what was ' +
        'requested, see the differing payments.',
    }),
    checkout_url: z.string().nullable().meta({ description: 'Where a person pays; null unless it is `open`.' }),
    expires_at: z.iso.datetime(),
    transaction_id: z.string().nullable().meta({ description: 'The credit of one that was paid.' }),
    created_at: z.iso.datetime(),
  })
  .meta({
    id: 'ListedTopUp',
    examples: [
      {
        id: 'top_01K9ZC4T0M3Q8V6W2X5Y7ZABCD',
        amount_cents: 5_000,
        status: 'open',
        checkout_url: 'https://checkout.stripe.com/c/pay/cs_test_a1b2c3',
        expires_at: '2026-11-22T12:00:00.000Z',
        transaction_id: null,
        created_at: '2026-11-21T12:00:00.000Z',
      },
    ],
  });
export type ListedTopUp = z.infer<typeof ListedTopUpSchema>;
