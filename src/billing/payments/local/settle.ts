import { z } from 'zod';
import type { Context } from '../../../context/context.ts';
import { sql, type CommonQueryMethods } from '../../../database/pool.ts';
import { newId } from '../../../ids/ids.ts';
import { checkoutObject, invoiceObject, recordEvent, subscriptionObject } from './events.ts';
import { findCheckout, findSubscription, settleCheckout, type CheckoutRow, type SubscriptionRow } from './queries.ts';

const Nothing = z.object({});
const ReceiptRow = z.object({ receipt_id: z.string() });

export const Outcome = z.enum(['paid', 'failed', 'expired'], 'must be paid, failed or expired');
export type Outcome = z.infer<typeof Outcome>;

/**
 * Does what a button of the checkout page stands for and stores its events, in one transaction. A checkout that is over
 * stays as it is.
 * @returns the ids of the events, none where nothing changed; null where there is no such checkout.
 */
export async function settle({ pool }: Context, id: string, outcome: Outcome): Promise<string[] | null> {
  return pool.transaction(async (connection) => {
    const checkout = await findCheckout(connection, id, { forChange: true });
    if (checkout === null) return null;
    if (checkout.status !== 'open') return [];
    const status = (await hasLapsed(connection, checkout)) ? 'expired' : outcome;
    await settleCheckout(connection, id, status);
    if (status === 'paid') return pay(connection, checkout);
    const type = status === 'failed' ? 'checkout.session.async_payment_failed' : 'checkout.session.expired';
    return [await recordEvent(connection, type, checkoutObject({ ...checkout, status }))];
  });
}

/** Whether the subscription to be upgraded has ended, so that paying would buy nothing. */
const hasLapsed = async (
  connection: CommonQueryMethods,
  { purpose, subscription_id: id }: CheckoutRow,
): Promise<boolean> => purpose === 'upgrade' && (await findSubscription(connection, id ?? ''))?.status !== 'active';

async function pay(connection: CommonQueryMethods, checkout: CheckoutRow): Promise<string[]> {
  if (checkout.purpose === 'top_up') {
    const paid = await bookPayment(connection, checkout);
    return [await recordEvent(connection, 'checkout.session.completed', checkoutObject(paid))];
  }
  if (checkout.purpose === 'subscription') {
    const subscription = await beginSubscription(connection, checkout);
    const paid = await bookPayment(connection, { ...checkout, subscription_id: subscription.id });
    return [
      await recordEvent(connection, 'checkout.session.completed', checkoutObject(paid)),
      await recordEvent(connection, 'customer.subscription.created', subscriptionObject(subscription)),
      await recordEvent(connection, 'invoice.paid', invoiceObject(subscription)),
    ];
  }
  const subscription = await upgradeSubscription(connection, checkout);
  await bookPayment(connection, checkout);
  return [
    await recordEvent(connection, 'customer.subscription.updated', subscriptionObject(subscription)),
    await recordEvent(connection, 'invoice.paid', invoiceObject(subscription)),
  ];
}

async function bookPayment(connection: CommonQueryMethods, checkout: CheckoutRow): Promise<CheckoutRow> {
  const id = newId('lpay');
  const { receipt_id } = await connection.one(sql.type(ReceiptRow)`
    insert into local_payments (id, receipt_id, customer_id, checkout_id, subscription_id, amount_cents, description)
    values (${id}, ${newId('lpay')}, ${checkout.customer_id}, ${checkout.id}, ${checkout.subscription_id}, ${checkout.amount_cents},
      ${titleOf(checkout)})
    returning receipt_id`);
  return { ...checkout, status: 'paid', payment_id: id, receipt_id };
}

/** Names what is paid for, in one line. */
export function titleOf({
  purpose,
  tier,
  purchased_seats: seats,
}: Pick<CheckoutRow, 'purpose' | 'tier' | 'purchased_seats'>): string {
  if (purpose === 'top_up') return 'Top-up of the wallet';
  if (purpose === 'upgrade') return `Upgrade to ${tier ?? ''}`;
  return `Subscription, ${tier ?? ''}${seats ? `, ${seats} more seats` : ''}`;
}

/**
 * The first period begins now, in whole seconds as Stripe's periods do, and ends on the same day of the next month,
 * or on its last.
 */
async function beginSubscription(connection: CommonQueryMethods, checkout: CheckoutRow): Promise<SubscriptionRow> {
  const id = newId('lpay');
  await connection.query(sql.type(Nothing)`
    insert into local_subscriptions (id, customer_id, tier, purchased_seats, started_at, period_start, period_end)
    select ${id}, ${checkout.customer_id}, ${checkout.tier}, ${checkout.purchased_seats}, begins, begins, begins + interval '1 month'
    from date_trunc('second', now()) as begins`);
  await connection.query(
    sql.type(Nothing)`update local_checkouts set subscription_id = ${id} where id = ${checkout.id}`,
  );
  return existing(await findSubscription(connection, id));
}

/** Takes a planned downgrade back as well. */
async function upgradeSubscription(connection: CommonQueryMethods, checkout: CheckoutRow): Promise<SubscriptionRow> {
  const id = checkout.subscription_id ?? '';
  await connection.query(sql.type(Nothing)`
    update local_subscriptions set tier = ${checkout.tier}, next_tier = null where id = ${id}`);
  return existing(await findSubscription(connection, id));
}

function existing(subscription: SubscriptionRow | null): SubscriptionRow {
  if (subscription === null) throw new Error('A checkout names a subscription that does not exist.');
  return subscription;
}
