import { z } from 'zod';

/** The one list of tiers, from the smallest to the largest; the table `tiers` holds what each of them allows. */
export const tiers = ['free', 'developer', 'pro', 'business', 'enterprise'] as const;
export type Tier = (typeof tiers)[number];
export const TierSchema = z.enum(tiers);

/** How an operator comes to a tier: it begins there, subscribes, or agrees on it with the platform. */
const ways = {
  free: 'start',
  developer: 'subscription',
  pro: 'subscription',
  business: 'subscription',
  enterprise: 'contract',
} as const satisfies Record<Tier, 'start' | 'subscription' | 'contract'>;

/** A tier that is bought by subscription, at a monthly price. */
export type PaidTier = { [Name in Tier]: (typeof ways)[Name] extends 'subscription' ? Name : never }[Tier];
const isPaidTier = (tier: Tier): tier is PaidTier => ways[tier] === 'subscription';
/** From the smallest to the largest. */
export const paidTiers: readonly PaidTier[] = tiers.filter(isPaidTier);

export const isLargerTier = (tier: Tier, than: Tier): boolean => tiers.indexOf(tier) > tiers.indexOf(than);
