import type { Prices } from '../stripe/subscription.ts';

/** The ids of prices in the events of the local provider. */
export const localPrices: Prices = {
  developer: ['local_developer'],
  pro: ['local_pro'],
  business: ['local_business'],
  seat: ['local_seat'],
};
