import { Stripe } from 'stripe';
import type { PaymentSettings, Several } from '../../context/config.ts';
import { CarnetError, invalid } from '../../errors/carnet-error.ts';
import type { PaymentEvent } from '../payments/event.ts';
import { paymentEventOf } from '../payments/provider-event.ts';

/** Seconds between the signing and now, in either direction; 300 is Stripe's own default. */
const TOLERANCE_SECONDS = 300;

/**
 * The event of a payment webhook, after its signature was verified.
 * @param rawBody the body as it arrived, byte for byte
 * @param signatureHeader `Stripe-Signature`: `t=…,v1=…`
 * @throws CarnetError INVALID_SIGNATURE; VALIDATION_ERROR for a signed body that is not an event of Stripe's. Error for
 *   a signed event about one of our subscriptions that has no period: Stripe sends it again, and the log names the
 *   reason.
 */
export function readPaymentWebhook(
  settings: PaymentSettings,
  rawBody: Buffer,
  signatureHeader: string | undefined,
): PaymentEvent {
  const event = paymentEventOf(verified(rawBody, signatureHeader, settings.webhookSecrets), settings);
  if (event === null) {
    throw invalid({
      path: 'body',
      code: 'not_an_event',
      message: 'must be an event of Stripe: id, type, created and data.object',
    });
  }
  return event;
}

function verified(rawBody: Buffer, header: string | undefined, secrets: Several): unknown {
  if (header === undefined || header === '') throw forged('The Stripe-Signature header is missing.');
  if (!secrets.some((secret) => isSigned(rawBody, { header, secret })))
    throw forged('The signature does not fit the body.');
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
function isSigned(rawBody: Buffer, { header, secret }: { header: string; secret: string }): boolean {
  try {
    return Stripe.webhooks.signature?.verifyHeader(rawBody, header, secret, NO_AGE_CHECK) === true;
  } catch {
    return false;
  }
}

/** Seconds since 1970. Of several times in the header the last one, which is the one that the SDK verifies. */
const signedAt = (header: string): number => Number(/^(?:.*,)?t=(\d+)/.exec(header)?.[1]);

const forged = (sentence: string): CarnetError => new CarnetError('INVALID_SIGNATURE', sentence);
