import { createHash } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { Stripe } from 'stripe';
import type { Logger } from 'pino';
import type { StripeSettings } from '../../../context/config.ts';
import { CustomerUnknown, NotDone, PaymentRefused } from '../../../context/payment-provider.ts';
import { CarnetError } from '../../../errors/carnet-error.ts';

/** Stripe answers within a second or two, and no caller waits for a page any longer; the call is made again under the same key. */
const TIMEOUT_MS = 10_000;

/**
 * The SDK. It repeats nothing by itself, except once a call whose connection was closed: the step of a life does, after a pause that
 * grows, and so is seen doing it; a caller who waits for a page sends the request again.
 * @param settings.apiBase e.g. `http://127.0.0.1:12111`; absent: Stripe's own
 */
export function createStripe({ secretKey, apiBase }: Pick<StripeSettings, 'secretKey' | 'apiBase'>): Stripe {
  return new Stripe(secretKey, {
    maxNetworkRetries: 0,
    timeout: TIMEOUT_MS,
    telemetry: false,
    ...(apiBase !== undefined && addressOf(apiBase)),
  });
}

function addressOf(apiBase: string): { protocol: 'http' | 'https'; host: string; port: number } {
  const { protocol, hostname, port } = new URL(apiBase);
  const secure = protocol === 'https:';
  return {
    protocol: secure ? 'https' : 'http',
    host: hostname,
    port: port === '' ? (secure ? 443 : 80) : Number(port),
  };
}

/** Faults that we have to put right, not the customer: a balance of ours that does not cover a refund or a transfer. */
const BALANCE_TOO_LOW: ReadonlySet<string | undefined> = new Set(['balance_insufficient', 'insufficient_funds']);

/** Stripe's status for a key that another call under way has. */
const KEY_IN_USE = 409;

export type Call = <T>(what: string, send: () => Promise<T>) => Promise<T>;

/**
 * Calls Stripe and translates its failures. Stripe's own words stay out of errors and logs, since they repeat what was sent; the id of
 * the request finds them in its dashboard.
 * @throws PaymentRefused where the answer is no for good, a key used for another request included; CustomerUnknown; CarnetError TEMPORARILY_UNAVAILABLE where
 * it is not known or may be corrected (429, 5xx, no connection, a wrong or restricted key), NotDone of these where Stripe has kept the answer under the key (our balance,
 * a 5xx that is repeated).
 */
export const createCall =
  (log: Logger): Call =>
  async (what, send) => {
    try {
      return await whenKeyIsFree(send);
    } catch (error) {
      if (!(error instanceof Stripe.errors.StripeError)) throw error;
      const { type, code, param, statusCode: status, requestId, headers } = error;
      const fields = { call: what, type, code, param, status, stripeRequestId: requestId };
      if (isFinal(error)) {
        log.warn(fields, 'Stripe refused a call for good');
        const Refusal = code === 'resource_missing' && param === 'customer' ? CustomerUnknown : PaymentRefused;
        throw new Refusal(
          `Stripe refused ${what}: ${code ?? type}${requestId === undefined ? '' : ` (${requestId})`}.`,
        );
      }
      const correctable =
        error instanceof Stripe.errors.StripeAuthenticationError ||
        error instanceof Stripe.errors.StripePermissionError ||
        BALANCE_TOO_LOW.has(code);
      log[correctable ? 'error' : 'warn'](
        fields,
        correctable
          ? 'Stripe refuses our key, or our balance there is too low; the call is made again until that is corrected'
          : 'Stripe did not answer a call; it is made again',
      );
      // A 5xx alone says nothing: it may be of a list, or of a proxy while the call is under way. One that is repeated from what Stripe keeps under the key is of
      // a call that has ended. A list has no key, so it is never repeated like this.
      const isKept = BALANCE_TOO_LOW.has(code) || ((status ?? 0) >= 500 && headers?.['idempotent-replayed'] === 'true');
      throw new (isKept ? NotDone : CarnetError)('TEMPORARILY_UNAVAILABLE', `Stripe did not do ${what}.`);
    }
  };

/** Milliseconds between tries of a call whose key is in use; together less than a caller waits for a page. */
const KEY_PAUSES_MS = [250, 500, 1_000, 2_000];

/** Sends it again while a call with the same key is under way, as that of a caller and that of a life: then its result is there. */
async function whenKeyIsFree<T>(send: () => Promise<T>): Promise<T> {
  for (const pauseMs of KEY_PAUSES_MS) {
    try {
      return await send();
    } catch (error) {
      if (!(error instanceof Stripe.errors.StripeError && error.statusCode === KEY_IN_USE)) throw error;
      await pause(pauseMs);
    }
  }
  return send();
}

const isFinal = (error: InstanceType<typeof Stripe.errors.StripeError>): boolean =>
  !BALANCE_TOO_LOW.has(error.code) &&
  (error instanceof Stripe.errors.StripeInvalidRequestError ||
    error instanceof Stripe.errors.StripeIdempotencyError ||
    error instanceof Stripe.errors.StripeCardError);

/** The key of a call for a customer: for another customer of the same operator it is another request. */
export const keyOfCustomer = (key: string, customerNumber: number): string =>
  customerNumber === 1 ? key : `${key}:customer-${customerNumber}`;

/** The key of a try: Stripe repeats for a day what it answered to the one before. What must be done once is looked up before each. */
export const keyOfTry = (key: string, tries: number): string => (tries === 1 ? key : `${key}:try-${tries}`);

/** A key for a call that sets what is wanted: the same parameters have the same key, others never clash with it. */
export const keyOfParams = (key: string, params: unknown): string =>
  `${key}:${createHash('sha256').update(JSON.stringify(params)).digest('base64url').slice(0, 16)}`;
