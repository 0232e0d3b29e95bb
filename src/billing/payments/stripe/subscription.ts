import { isLargerTier, paidTiers, type PaidTier } from '../../../fields/tiers.ts';
import type { Stripe } from 'stripe';
import { z } from 'zod';
import type { PricedItem, StripeSettings } from '../../../context/config.ts';
import type { SubscriptionState } from '../../../context/payment-provider.ts';
import { Id, Seconds, Text } from './fields.ts';
import { readsOf } from './listed.ts';
import { subscriptionStatusOf } from './statuses.ts';

/** The ids of the prices of tiers and seats: the first of each list is sold, all are known. */
export type Prices = StripeSettings['prices'];

/** Seats are an integer of Postgres. */
const Quantity = z.int32().min(0);

const SubscriptionItem = z.object({
  id: Text,
  price: z.object({ id: Text }),
  quantity: Quantity.nullish(),
  current_period_start: Seconds.nullish(),
  current_period_end: Seconds.nullish(),
});

type SubscriptionItem = z.infer<typeof SubscriptionItem>;

/**
 * The members that are read of Stripe's subscription object. Older API versions put the period on the subscription, newer ones on
 * its items.
 */
export const StripeSubscription = readsOf<Stripe.Subscription>()(
  z.object({
    id: Text,
    customer: Id,
    status: Text,
    cancel_at_period_end: z.boolean().nullish(),
    cancel_at: Seconds.nullish(),
    current_period_start: Seconds.nullish(),
    current_period_end: Seconds.nullish(),
    items: z.object({ data: z.array(SubscriptionItem) }),
    metadata: z.record(Text, Text).nullish(),
  }),
);
export type StripeSubscription = z.infer<typeof StripeSubscription>;

/**
 * Metadata of a subscription whose price was lowered ahead of a downgrade: the tier that is paid for until the end of the
 * period and its price, and that end in seconds. After the end only the price counts, so the metadata need not be
 * removed.
 */
export const PaidTierMetadata = {
  tier: 'carnet_tier',
  until: 'carnet_tier_until',
  price: 'carnet_tier_price',
} as const;

/** The price at which an item is sold now. */
export const soldPrice = (prices: Prices, item: PricedItem): string => prices[item][0];

const tierOf = (prices: Prices, priceId: string): PaidTier | null =>
  paidTiers.find((tier) => prices[tier].includes(priceId)) ?? null;
const isSeat = (prices: Prices, { price }: SubscriptionItem): boolean => prices.seat.includes(price.id);

/** The item that is the tier. */
export interface TierItem {
  itemId: string;
  priceId: string;
  /** Null: no setting names its price. */
  tier: PaidTier | null;
}

/**
 * The item with the price of a tier, else the only one that is no seat: nothing but a price that no setting names makes
 * that difference. Undefined where there is none, or where it could be one of several.
 */
export function tierItemOf({ items }: StripeSubscription, prices: Prices): TierItem | undefined {
  const others = items.data.filter((item) => !isSeat(prices, item));
  const [first, ...more] = others.filter(({ price }) => tierOf(prices, price.id) !== null);
  const item = first ?? (others.length === 1 && more.length === 0 ? others[0] : undefined);
  return item && { itemId: item.id, priceId: item.price.id, tier: tierOf(prices, item.price.id) };
}

export const seatItemOf = ({ items }: StripeSubscription, prices: Prices): SubscriptionItem | undefined =>
  items.data.find((item) => isSeat(prices, item));

/** Null: an item that is neither the tier nor known as seats has a price that no setting names, so it may be seats. */
function purchasedSeatsOf(subscription: StripeSubscription, prices: Prices, tier: TierItem | undefined): number | null {
  const seats = seatItemOf(subscription, prices);
  if (seats !== undefined) return seats.quantity ?? 0;
  return subscription.items.data.every(({ id }) => id === tier?.itemId) ? 0 : null;
}

/**
 * Stripe's subscription as the type that Carnet uses.
 * @throws Error where it has no period.
 */
export function subscriptionStateOf(subscription: StripeSubscription, prices: Prices): SubscriptionState {
  const item = tierItemOf(subscription, prices);
  const priced = item?.tier ?? null;
  const { start, end } = periodOf(subscription);
  const kept = keptTierOf(subscription, end);
  const lowered = kept !== undefined && (priced === null || isLargerTier(kept, priced));
  const { cancel_at: cancelAt } = subscription;
  return {
    subscriptionId: subscription.id,
    customerId: subscription.customer,
    status: subscriptionStatusOf(subscription.status),
    tier: lowered ? kept : priced,
    purchasedSeats: purchasedSeatsOf(subscription, prices, item),
    cancelAtPeriodEnd: subscription.cancel_at_period_end === true || (typeof cancelAt === 'number' && cancelAt <= end),
    nextTier: lowered ? priced : null,
    currentPeriodStart: new Date(start * 1_000),
    currentPeriodEnd: new Date(end * 1_000),
  };
}

/** The price that a planned downgrade is taken back to: the one that was paid, while the settings know it. */
export function paidPriceOf({ metadata }: StripeSubscription, tier: PaidTier, prices: Prices): string {
  const noted = metadata?.[PaidTierMetadata.price];
  return noted !== undefined && prices[tier].includes(noted) ? noted : soldPrice(prices, tier);
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
