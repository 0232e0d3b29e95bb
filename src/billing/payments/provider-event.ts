import { z } from 'zod';
import type { PaymentSettings } from '../../context/config.ts';
import type { PaymentEvent } from './event.ts';
import { paymentFactOf, unrelatedFact } from './fact.ts';
import { localPrices } from './local/prices.ts';
import { Seconds, Text } from './stripe/fields.ts';

const EventBody = z.object({
  id: Text.min(1),
  type: Text,
  created: Seconds,
  data: z.object({ object: z.unknown() }),
  /** The connected account that the event is about; absent for our own account. */
  account: z.string().nullish(),
});

/**
 * Handles what an event of the provider means, sent by webhook or read from its list: the one door for both.
 * @returns null where it is no event
 * @throws Error where a subscription of ours has no period.
 */
export function paymentEventOf(body: unknown, settings: PaymentSettings): PaymentEvent | null {
  const { data: event } = EventBody.safeParse(body);
  if (event === undefined) return null;
  const prices = settings.provider === 'stripe' ? settings.prices : localPrices;
  // On their connected accounts publishers can sell anything and write any metadata, ours included, so those events are
  // not about us.
  const fact = typeof event.account === 'string' ? unrelatedFact : paymentFactOf(event.type, event.data.object, prices);
  return { id: event.id, type: event.type, createdAt: new Date(event.created * 1_000), ...fact };
}
