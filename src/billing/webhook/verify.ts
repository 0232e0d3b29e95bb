import { Stripe } from 'stripe';
import { z } from 'zod';
import type { PaymentSettings } from '../../context/config.ts';
import { CarnetError, invalid } from '../../errors/carnet-error.ts';
import { localPrices } from '../payments/local/prices.ts';
import type { PaymentEvent } from '../payments/event.ts';
import { paymentFactOf, unrelatedFact } from '../payments/fact.ts';

/** Seconds between the signing and now, in either direction; 300 is Stripe's own default (decision B7). */
const TOLERANCE_SECONDS = 300;

const EventBody = z.object({
  id: z.string().min(1),
  type: z.string(),
  created: z.number(),
  data: z.object({ object: z.unknown() }),
  /** The connected account that the event is about; absent for our own account. */
  account: z.string().nullish(),
});

/**
 * The event of a payment webhook, after its signature was verified.
 * @param rawBody the body as it arrived, byte for byte
 * @param signatureHeader `Stripe-Signature`: `t=…,v1=…`
 * @throws CarnetError INVALID_SIGNATURE; VALIDATION_ERROR for a signed body that is not an event of Stripe's. Error for
 *   a signed event about one of our subscriptions that cannot be understood: Stripe sends it again, and the log names
 *   the reason.
 */
export function readPaymentWebhook(
  settings: PaymentSettings,
  rawBody: Buffer,
  signatureHeader: string | undefined,
): PaymentEvent {
  const { data: event, success } = EventBody.safeParse(verified(rawBody, signatureHeader, settings.webhookSecret));
  if (!success) {
    throw invalid({
      path: 'body',
      code: 'not_an_event',
      message: 'must be an event of Stripe: id, type, created and data.object',
    });
  }
  const prices = settings.provider === 'stripe' ? settings.prices : localPrices;
  // On their connected accounts publishers can sell anything and write any metadata, ours included, so those events are
  // not about us.
  const fact = typeof event.account === 'string' ? unrelatedFact : paymentFactOf(event.type, event.data.object, prices);
  return { id: event.id, type: event.type, createdAt: new Date(event.created * 1_000), ...fact };
}

function verified(rawBody: Buffer, header: string | undefined, secret: string): unknown {
  if (header === undefined || header === '') throw forged('The Stripe-Signature header is missing.');
  if (!isSigned(rawBody, header, secret)) throw forged('The signature does not fit the body.');
  const age = Math.floor(Date.now() / 1_000) - signedAt(header);
  if (!(Math.abs(age) <= TOLERANCE_SECONDS)) {
    throw forged(`The signature was made more than ${TOLERANCE_SECONDS} seconds from now.`);
  }
  try {
    return JSON.parse(rawBody.toString());
  } catch {
    throw invalid({ path: 'body', code: 'invalid_json', message: 'must be JSON' });
  }
}

/**
 * The SDK's own age check knows only the past and reports it by its message alone, so a tolerance of 0 turns it off.
 */
const NO_AGE_CHECK = 0;

/**
 * Whether a signature of the header fits the body. The SDK compares in constant time. It throws where none fits, and a
 * TypeError where a signature is empty, so every error means no.
 */
function isSigned(rawBody: Buffer, header: string, secret: string): boolean {
  try {
    return Stripe.webhooks.signature?.verifyHeader(rawBody, header, secret, NO_AGE_CHECK) === true;
  } catch {
    return false;
  }
}

/** Seconds since 1970. Of several times in the header the last one, which is the one that the SDK verifies. */
const signedAt = (header: string): number => Number(/^(?:.*,)?t=(\d+)/.exec(header)?.[1]);

const forged = (sentence: string): CarnetError => new CarnetError('INVALID_SIGNATURE', sentence);
