import { z } from 'zod';
import { sql, type CommonQueryMethods } from '../../../database/pool.ts';
import { newId } from '../../../ids/ids.ts';
import type { PaymentMetadata } from '../event.ts';
import { PaidTierMetadata, soldPrice } from '../stripe/subscription.ts';
import { localPrices } from './prices.ts';
import type { CheckoutRow, SubscriptionRow } from './queries.ts';

/** The types of event that the local provider sends; they are Stripe's. */
type EventType =
  | 'checkout.session.completed'
  | 'checkout.session.async_payment_failed'
  | 'checkout.session.expired'
  | 'customer.subscription.created'
  | 'customer.subscription.updated'
  | 'invoice.paid';

const seconds = (iso: string): number => Math.floor(Date.parse(iso) / 1_000);

/**
 * Stores an event for the payment webhook, in the transaction of what happened. It has those members of Stripe's event
 * that Carnet reads.
 * @returns its id, for `deliverEvents`.
 */
export async function recordEvent(
  connection: CommonQueryMethods,
  type: EventType,
  object: Record<string, unknown>,
): Promise<string> {
  const id = newId('evt');
  const created = Math.floor(Date.now() / 1_000);
  const body = JSON.stringify({ id, object: 'event', type, created, livemode: false, data: { object } });
  await connection.query(sql.type(z.object({}))`insert into local_webhooks (id, body) values (${id}, ${body})`);
  return id;
}

export function checkoutObject(checkout: CheckoutRow): Record<string, unknown> {
  const { id, purpose, reference, operator_id: operator, status } = checkout;
  const metadata: PaymentMetadata = {
    carnet_purpose: purpose === 'top_up' ? 'top_up' : 'subscription',
    carnet_reference: reference,
    carnet_operator: operator,
  };
  return {
    id,
    object: 'checkout.session',
    mode: purpose === 'top_up' ? 'payment' : 'subscription',
    status: status === 'expired' ? 'expired' : 'complete',
    payment_status: status === 'paid' ? 'paid' : 'unpaid',
    amount_total: checkout.amount_cents,
    currency: 'usd',
    customer: checkout.customer_id,
    payment_intent: checkout.payment_id,
    subscription: checkout.subscription_id,
    metadata,
  };
}

export function subscriptionObject(subscription: SubscriptionRow): Record<string, unknown> {
  const { id, tier, next_tier: next, purchased_seats: seats, operator_id: operator } = subscription;
  const period = {
    current_period_start: seconds(subscription.period_start),
    current_period_end: seconds(subscription.period_end),
  };
  const seatItem = { id: `${id}:seats`, price: { id: soldPrice(localPrices, 'seat') }, quantity: seats, ...period };
  return {
    id,
    object: 'subscription',
    customer: subscription.customer_id,
    status: subscription.status,
    cancel_at_period_end: subscription.cancel_at_period_end,
    metadata: { carnet_operator: operator, ...(next !== null && paidTierMetadata(tier, period.current_period_end)) },
    items: {
      data: [
        { id: `${id}:tier`, price: { id: soldPrice(localPrices, next ?? tier) }, quantity: 1, ...period },
        ...(seats > 0 ? [seatItem] : []),
      ],
    },
  };
}

/**
 * With a planned downgrade the price is lowered already; the tier that is paid for stands in the metadata
 * (stripe/subscription.ts).
 */
const paidTierMetadata = (tier: string, until: number) => ({
  [PaidTierMetadata.tier]: tier,
  [PaidTierMetadata.until]: String(until),
});

export const invoiceObject = ({ id, customer_id: customer }: SubscriptionRow): Record<string, unknown> => ({
  object: 'invoice',
  status: 'paid',
  customer,
  parent: { type: 'subscription_details', subscription_details: { subscription: id } },
});
