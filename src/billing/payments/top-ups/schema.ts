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
