import { paidTiers, TierSchema } from '../../fields/tiers.ts';
import { z } from 'zod';

const Instant = z.iso.datetime();
/** As in British English, without a comma before the last. */
const oneOf = new Intl.ListFormat('en-GB', { type: 'disjunction' });

export const SubscribeSchema = z
  .strictObject({
    // The others are refused with what to do instead.
    tier: TierSchema.meta({
      override: { type: 'string', enum: [...paidTiers], description: `${oneOf.format(paidTiers)}.` },
    }),
  })
  .meta({ id: 'Subscribe' });
export type Subscribe = z.infer<typeof SubscribeSchema>;

export const SubscribedSchema = z
  .object({
    checkout_url: z
      .string()
      .nullable()
      .meta({ description: 'The page where a person pays; null where nothing is to be paid now.' }),
    session_id: z.string().nullable(),
    tier: TierSchema.meta({ description: 'The tier that was requested.' }),
    effective_at: Instant.nullable().meta({
      description: 'For a change to a smaller tier the end of the period. null: at the payment, or now.',
    }),
  })
  .meta({
    id: 'Subscribed',
    description: 'A change of the subscription. A larger tier counts as soon as it is paid.',
    examples: [
      {
        checkout_url: 'https://checkout.stripe.com/c/pay/cs_test_a1b2c3',
        session_id: 'cs_test_a1b2c3',
        tier: 'pro',
        effective_at: null,
      },
    ],
  });
export type Subscribed = z.infer<typeof SubscribedSchema>;

export const CanceledSubscriptionSchema = z
  .object({
    tier: TierSchema.meta({ description: 'The tier until the end of the period.' }),
    status: z
      .enum(['canceling', 'abandoned'])
      .meta({ description: 'abandoned: there was only a checkout that nobody had paid.' }),
    cancel_at_period_end: z.boolean(),
    current_period_end: Instant.nullable(),
  })
  .meta({
    id: 'CanceledSubscription',
    examples: [
      { tier: 'pro', status: 'canceling', cancel_at_period_end: true, current_period_end: '2026-12-21T12:00:00.000Z' },
    ],
  });
export type CanceledSubscription = z.infer<typeof CanceledSubscriptionSchema>;

export const subscriptionStatuses = ['none', 'active', 'past_due', 'unpaid', 'ended'] as const;

export const SubscriptionSchema = z
  .object({
    tier: TierSchema.meta({ description: 'The tier that counts now, bought or given by the platform.' }),
    status: z.enum(['none', 'active', 'canceling', 'past_due', 'unpaid']).meta({
      description:
        'none: nothing is bought. past_due keeps the tier; unpaid does not, until the invoice is paid in the portal.',
    }),
    billing_period: z
      .object({ start: Instant, end: Instant })
      .meta({ description: 'Without a subscription the UTC calendar month.' }),
    cancel_at_period_end: z.boolean(),
    next_tier: TierSchema.nullable().meta({ description: 'The tier from the end of the period on; null: the same.' }),
    purchased_seats: z.int(),
    pending_change: z
      .object({ tier: TierSchema, checkout_url: z.string().nullable(), expires_at: Instant })
      .nullable()
      .meta({
        description:
          'A change that waits to be paid. Only administrators see its checkout_url, which of an upgrade lives for minutes: POST /v1/billing/subscription/change/checkout opens it again.',
      }),
  })
  .meta({
    id: 'Subscription',
    examples: [
      {
        tier: 'pro',
        status: 'active',
        billing_period: { start: '2026-11-21T12:00:00.000Z', end: '2026-12-21T12:00:00.000Z' },
        cancel_at_period_end: false,
        next_tier: null,
        purchased_seats: 2,
        pending_change: null,
      },
    ],
  });
export type Subscription = z.infer<typeof SubscriptionSchema>;

/** The next step of the life of a subscription. */
export const subscriptionTodos = ['close', 'open', 'push', 'fetch', 'wait', 'end', 'gone'] as const;

export interface SubscriptionStep {
  todo: (typeof subscriptionTodos)[number];
  /** The change that is closed, opened or waits to be paid: `sbc_…`. */
  changeId: string | null;
  /** Null where there is no such row. */
  status: (typeof subscriptionStatuses)[number] | null;
  /** The tier of the change, else of the subscription. */
  tier: string | null;
  /**
   * Milliseconds by Postgres' clock until the next fetch from the provider, at least 1,000; null where there is none.
   */
  waitMs: number | null;
  /** The same as ISO 8601. */
  until: string | null;
}
