import { priceSetting } from '../../../context/config.ts';
import { paidTiers } from '../../../fields/tiers.ts';
import type { PaidTier } from '../../../fields/tiers.ts';
import type { Stripe } from 'stripe';
import { z } from 'zod';
import type { StripeSettings } from '../../../context/config.ts';
import type { SubscriptionState } from '../provider.ts';
import { readsOf } from './listed.ts';
import { subscriptionStatusOf } from './statuses.ts';

/** The ids of the prices of tiers and seats. */
export type Prices = StripeSettings['prices'];

const Id = z.union([z.string(), z.object({ id: z.string() }).transform(({ id }) => id)]);
const Seconds = z.number();

const SubscriptionItem = z.object({
  id: z.string(),
  price: z.object({ id: z.string() }),
  quantity: z.number().nullish(),
  current_period_start: Seconds.nullish(),
  current_period_end: Seconds.nullish(),
});

/**
 * What is read of Stripe's subscription object. Older API versions put the period on the subscription, newer ones on
 * its items.
 */
export const StripeSubscription = readsOf<Stripe.Subscription>()(
  z.object({
    id: z.string(),
    customer: Id,
    status: z.string(),
    cancel_at_period_end: z.boolean().nullish(),
    cancel_at: Seconds.nullish(),
    current_period_start: Seconds.nullish(),
    current_period_end: Seconds.nullish(),
    items: z.object({ data: z.array(SubscriptionItem) }),
    metadata: z.record(z.string(), z.string()).nullish(),
  }),
);
export type StripeSubscription = z.infer<typeof StripeSubscription>;

/**
 * Metadata of a subscription whose price was lowered ahead of a downgrade: the tier that is paid for until the end of
 * the period, and that end in seconds. After the end only the price counts, so the metadata need not be removed.
 */
export const PaidTierMetadata = { tier: 'carnet_tier', until: 'carnet_tier_until' } as const;

/** The item that is the tier. @throws Error where no price of the settings is on the subscription. */
export function tierItemOf({ id, items }: StripeSubscription, prices: Prices): { itemId: string; tier: PaidTier } {
  for (const item of items.data) {
    const tier = paidTiers.find((candidate) => prices[candidate] === item.price.id);
    if (tier !== undefined) return { itemId: item.id, tier };
  }
  throw new Error(`The subscription ${id} has none of the prices that ${paidTiers.map(priceSetting).join(', ')} name.`);
}

export const seatItemOf = ({ items }: StripeSubscription, prices: Prices) =>
  items.data.find((item) => item.price.id === prices.seat);

/**
 * Stripe's subscription as the type that Carnet uses.
 * @throws Error where none of its prices is a tier of ours, or it has no period.
 */
export function subscriptionStateOf(subscription: StripeSubscription, prices: Prices): SubscriptionState {
  const { tier: priced } = tierItemOf(subscription, prices);
  const { start, end } = periodOf(subscription);
  const kept = keptTierOf(subscription, end);
  const lowered = kept !== undefined && paidTiers.indexOf(kept) > paidTiers.indexOf(priced);
  const { cancel_at: cancelAt } = subscription;
  return {
    subscriptionId: subscription.id,
    customerId: subscription.customer,
    status: subscriptionStatusOf(subscription.status),
    tier: lowered ? kept : priced,
    purchasedSeats: seatItemOf(subscription, prices)?.quantity ?? 0,
    cancelAtPeriodEnd: subscription.cancel_at_period_end === true || (typeof cancelAt === 'number' && cancelAt <= end),
    nextTier: lowered ? priced : null,
    currentPeriodStart: new Date(start * 1_000),
    currentPeriodEnd: new Date(end * 1_000),
  };
}

function periodOf(subscription: StripeSubscription): { start: number; end: number } {
  const [item] = subscription.items.data;
  const start = item?.current_period_start ?? subscription.current_period_start;
  const end = item?.current_period_end ?? subscription.current_period_end;
  if (typeof start !== 'number' || typeof end !== 'number') {
    throw new Error(`The subscription ${subscription.id} has no period.`);
  }
  return { start, end };
}

function keptTierOf({ metadata }: StripeSubscription, periodEnd: number): PaidTier | undefined {
  if (metadata?.[PaidTierMetadata.until] !== String(periodEnd)) return undefined;
  return paidTiers.find((tier) => tier === metadata[PaidTierMetadata.tier]);
}
