import type { Tier } from './operator-schema.ts';

/** The seats that a tier brings by itself, owner included (Billing §8); null: without limit. */
const SEATS: Record<Tier, number | null> = { free: 2, developer: 3, pro: 5, business: 25, enterprise: null };

export const seatsOf = (tier: Tier): number | null => SEATS[tier];
