import type { Tier } from '../../src/fields/tiers.ts';

/** How long each tier keeps what is purged by tier: an age just inside and one just outside. */
export const RETENTION: Readonly<Record<Tier, [inside: string, outside: string]>> = {
  free: ['6 days 23 hours', '7 days 1 hour'],
  developer: ['29 days 23 hours', '30 days 1 hour'],
  pro: ['12 months -1 hour', '12 months 1 hour'],
  business: ['24 months -1 hour', '24 months 1 hour'],
  enterprise: ['12 months -1 hour', '12 months 1 hour'],
};
