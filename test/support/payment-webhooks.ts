import type { PaidTier } from '../../src/fields/tiers.ts';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Stripe } from 'stripe';
import { localPrices } from '../../src/billing/payments/local/prices.ts';
import type { PaymentMetadata } from '../../src/billing/payments/event.ts';
import { completeConfig, readSettings } from '../../src/context/config.ts';
import { newId } from '../../src/ids/ids.ts';
import type { InstanceFacts } from './instance.ts';
import { service, type Reply } from './service.ts';

type StripeObject = Record<string, unknown>;

const secondsOf = (at: Date): number => Math.floor(at.getTime() / 1_000);

/**
 * The body of a payment webhook as Stripe writes it.
 * @param object what the event is about, e.g. `checkoutSession({…})`
 */
export const paymentEventBody = (
  type: string,
  object: StripeObject,
  { id = newId('evt'), createdAt = new Date() }: { id?: string; createdAt?: Date } = {},
): string =>
  JSON.stringify({
    id,
    object: 'event',
    api_version: Stripe.API_VERSION,
    type,
    created: secondsOf(createdAt),
    livemode: false,
    data: { object },
  });

/** The secret that payment webhooks of an instance with the local provider are signed with. */
export function webhookSecretOf(
  { dataDir, databaseUrl }: Pick<InstanceFacts, 'dataDir' | 'databaseUrl'> = service(),
): string {
  const key = readFileSync(join(dataDir, 'encryption.key'), 'utf8');
  const { payments } = completeConfig(readSettings({ ...process.env, ENCRYPTION_KEY: key.trim() }), {
    databaseUrl,
    temporalAddress: '127.0.0.1:1',
    platformAdminKey: 'not-used-by-payment-webhooks',
    localProviders: true,
  });
  if (payments === undefined) throw new Error('The instance has no payment provider.');
  return payments.webhookSecrets[0];
}

/** The `Stripe-Signature` of a body, made by Stripe's own SDK. */
export const signPaymentEvent = (
  payload: string,
  { secret = webhookSecretOf(), at = new Date() }: { secret?: string; at?: Date } = {},
): string => Stripe.webhooks.generateTestHeaderString({ payload, secret, timestamp: secondsOf(at) });

/**
 * Posts a body to the payment webhook unchanged.
 * @param signature null: without the header; absent: a correct signature
 */
export async function postPaymentEvent(
  body: string | Buffer,
  signature: string | null = signPaymentEvent(body.toString()),
  baseUrl: string = service().baseUrl,
): Promise<Reply> {
  const response = await fetch(`${baseUrl}/v1/billing/webhooks/stripe`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json; charset=utf-8',
      ...(signature !== null && { 'stripe-signature': signature }),
    },
    body: typeof body === 'string' ? body : new Uint8Array(body),
  });
  const text = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    text,
    body: (text === '' ? {} : JSON.parse(text)) as Record<string, unknown>,
  };
}

/** A checkout session with our metadata, paid unless `over` overrides that. */
export const checkoutSession = (
  metadata: PaymentMetadata,
  {
    id = `cs_test_${newId('lpay')}`,
    amountCents = 1_000,
    ...over
  }: { id?: string; amountCents?: number } & StripeObject = {},
): StripeObject => ({
  id,
  object: 'checkout.session',
  mode: metadata.carnet_purpose === 'top_up' ? 'payment' : 'subscription',
  status: 'complete',
  payment_status: 'paid',
  amount_total: amountCents,
  currency: 'usd',
  customer: 'cus_test',
  payment_intent: metadata.carnet_purpose === 'top_up' ? `pi_${id}` : null,
  subscription: null,
  metadata,
  ...over,
});

/** A charge with the sum that was refunded of it so far. */
export const refundedCharge = (
  { paymentId, amountCents, refundedCents }: { paymentId: string; amountCents: number; refundedCents: number },
  over: StripeObject = {},
): StripeObject => ({
  id: `ch_${paymentId}`,
  object: 'charge',
  payment_intent: paymentId,
  amount: amountCents,
  amount_refunded: refundedCents,
  refunded: refundedCents === amountCents,
  currency: 'usd',
  metadata: {},
  ...over,
});

/** A refund of $10 unless `over` overrides that. */
export const refundObject = (
  { id, paymentId, status }: { id: string; paymentId: string; status: string },
  over: StripeObject = {},
): StripeObject => ({
  id,
  object: 'refund',
  payment_intent: paymentId,
  amount: 1_000,
  status,
  currency: 'usd',
  ...over,
});

export const disputeObject = (
  { id, paymentId, amountCents }: { id: string; paymentId: string; amountCents: number },
  over: StripeObject = {},
): StripeObject => ({
  id,
  object: 'dispute',
  payment_intent: paymentId,
  charge: `ch_${paymentId}`,
  amount: amountCents,
  currency: 'usd',
  status: 'needs_response',
  ...over,
});

/** A balance transaction of a dispute: below zero what Stripe withdrew, above what it reinstated. */
export const balanceTransaction = (id: string, cents: number, over: StripeObject = {}): StripeObject => ({
  id,
  object: 'balance_transaction',
  amount: cents,
  currency: 'usd',
  created: 1_800_000_000,
  fee: cents < 0 ? 1_500 : 0,
  ...over,
});

export interface SubscriptionObjectOptions {
  id: string;
  operatorId: string;
  tier: PaidTier;
  seats?: number;
  status?: string;
  customerId?: string;
  cancelAtPeriodEnd?: boolean;
  periodStart?: Date;
  periodEnd?: Date;
}

/** A subscription with the prices of the local provider. */
export function subscriptionObject({
  id,
  operatorId,
  tier,
  seats = 0,
  status = 'active',
  customerId = 'cus_test',
  cancelAtPeriodEnd = false,
  periodStart = new Date(),
  periodEnd = new Date(periodStart.getTime() + 30 * 86_400_000),
}: SubscriptionObjectOptions): StripeObject {
  const period = { current_period_start: secondsOf(periodStart), current_period_end: secondsOf(periodEnd) };
  const item = (price: string, quantity: number) => ({
    id: `si_${price}`,
    object: 'subscription_item',
    price: { id: price },
    quantity,
    ...period,
  });
  return {
    id,
    object: 'subscription',
    customer: customerId,
    status,
    cancel_at_period_end: cancelAtPeriodEnd,
    cancel_at: null,
    metadata: { carnet_operator: operatorId },
    items: {
      object: 'list',
      data: [item(localPrices[tier][0], 1), ...(seats > 0 ? [item(localPrices.seat[0], seats)] : [])],
    },
  };
}

export const paidInvoice = (subscriptionId: string, over: StripeObject = {}): StripeObject => ({
  id: `in_${subscriptionId}`,
  object: 'invoice',
  status: 'paid',
  parent: { type: 'subscription_details', subscription_details: { subscription: subscriptionId } },
  ...over,
});
