import { Stripe } from 'stripe';
import { z } from 'zod';
import type { PaymentSettings } from '../../context/config.ts';
import { CarnetError, invalid } from '../../errors/carnet-error.ts';
import { localPrices } from '../payments/local/prices.ts';
import type { PaymentEvent } from '../payments/event.ts';
import { other, paymentFactOf } from '../payments/fact.ts';

/** Seconds between the signing and now, in either direction (decisions B7). */
const TOLERANCE = 300;

const EventBody = z.object({
  id: z.string().min(1),
  type: z.string(),
  created: z.number(),
  data: z.object({ object: z.unknown() }),
  /** Of an event on a connected account. */
  account: z.string().nullish(),
});

/**
 * What a payment webhook says, once it is proven that the provider said it.
 * @param rawBody the body as it arrived, byte for byte
 * @param signatureHeader `Stripe-Signature`: `t=…,v1=…`
 * @throws CarnetError INVALID_SIGNATURE; VALIDATION_ERROR for a signed body that is no event of Stripe's. A signed event that says of one of
 * our subscriptions what cannot be understood is an Error: Stripe sends it again, and the log says why.
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
  // Publishers, who are paid out to connected accounts, sell there what they like and write on it what they like, our metadata too.
  const fact = typeof event.account === 'string' ? other : paymentFactOf(event.type, event.data.object, prices);
  return { id: event.id, type: event.type, createdAt: new Date(event.created * 1_000), ...fact };
}

function verified(rawBody: Buffer, header: string | undefined, secret: string): unknown {
  if (header === undefined || header === '') throw forged('The Stripe-Signature header is missing.');
  if (!isSigned(rawBody, header, secret)) throw forged('The signature does not fit the body.');
  // The SDK refuses what was signed too long ago, and lets pass what is signed for a time to come.
  if (!(signedAt(header) - Date.now() / 1_000 <= TOLERANCE)) throw stale();
  try {
    return JSON.parse(rawBody.toString());
  } catch {
    throw invalid({ path: 'body', code: 'invalid_json', message: 'must be JSON' });
  }
}

/** What the SDK's `constructEvent` checks before it reads the body, in constant time; it throws for every kind of no. @throws CarnetError when stale */
function isSigned(rawBody: Buffer, header: string, secret: string): boolean {
  try {
    return Stripe.webhooks.signature?.verifyHeader(rawBody, header, secret, TOLERANCE) === true;
  } catch (error) {
    if (error instanceof Stripe.errors.StripeSignatureVerificationError && /tolerance/.test(error.message))
      throw stale();
    return false;
  }
}

/** Of several times the last, as the SDK takes it: what is signed is that one. */
const signedAt = (header: string): number => Number(/^(?:.*,)?t=(\d+)/.exec(header)?.[1]);

const forged = (sentence: string): CarnetError => new CarnetError('INVALID_SIGNATURE', sentence);
const stale = (): CarnetError => forged(`The signature was made more than ${TOLERANCE} seconds from now.`);
