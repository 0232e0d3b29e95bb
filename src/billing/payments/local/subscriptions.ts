import { z } from 'zod';
import type { Context } from '../../../context/context.ts';
import { sql } from '../../../database/pool.ts';
import { newId } from '../../../ids/ids.ts';
import { PaymentRefused, type PaymentProvider, type SubscriptionState } from '../../../context/payment-provider.ts';
import { keyedCall } from './keyed-call.ts';
import { findSubscription, type SubscriptionRow } from './queries.ts';

const Nothing = z.object({});
const Done = z.object({});
const Refunded = z.object({ cents: z.number().nullable() });
const PaidRow = z.object({ subscription_id: z.string(), customer_id: z.string() });
const PaymentRow = z.object({ id: z.string(), cents: z.number() });

/**
 * Subscriptions of the local provider. They are renewed by Postgres' clock when they are read, and each renewal counts
 * as paid.
 */
export function localSubscriptions({
  pool,
}: Pick<Context, 'pool'>): Pick<
  PaymentProvider,
  'completeUpgrade' | 'readSubscription' | 'readSubscriptionPayment' | 'changeSubscription' | 'giveSubscriptionBack'
> {
  const readSubscription = async (subscriptionId: string): Promise<SubscriptionState> => {
    const row = await pool.transaction((connection) => findSubscription(connection, subscriptionId));
    if (row === null) throw new PaymentRefused(`There is no subscription ${subscriptionId}.`);
    return stateOf(row);
  };

  return {
    async readSubscriptionPayment(paymentId) {
      const payment = await pool.maybeOne(sql.type(PaidRow)`
        select subscription_id, customer_id from local_payments where id = ${paymentId} and subscription_id is not null`);
      return payment === null ? null : { subscriptionId: payment.subscription_id, customerId: payment.customer_id };
    },

    readSubscription,

    completeUpgrade: ({ subscriptionId }) => readSubscription(subscriptionId),

    async changeSubscription({ key, subscriptionId, change }) {
      await keyedCall(pool, { key, request: { subscriptionId, change }, answer: Done }, async (connection) => {
        const row = await findSubscription(connection, subscriptionId);
        if (row?.status !== 'active') throw new PaymentRefused(`There is no running subscription ${subscriptionId}.`);
        const next = change.nextTier === undefined ? row.next_tier : change.nextTier;
        await connection.query(sql.type(Nothing)`
          update local_subscriptions
          set purchased_seats = ${change.purchasedSeats ?? row.purchased_seats}, next_tier = ${next},
            cancel_at_period_end = ${change.cancelAtPeriodEnd ?? row.cancel_at_period_end}
          where id = ${subscriptionId}`);
        return {};
      });
      return readSubscription(subscriptionId);
    },

    async giveSubscriptionBack(subscriptionId) {
      const call = { key: `give-back:${subscriptionId}`, request: { subscriptionId }, answer: Refunded };
      const { cents } = await keyedCall(pool, call, async (connection) => {
        const row = await findSubscription(connection, subscriptionId);
        if (row === null) throw new PaymentRefused(`There is no subscription ${subscriptionId}.`);
        if (row.status !== 'active') return { cents: null };
        await connection.query(sql.type(Nothing)`
          update local_subscriptions set status = 'canceled' where id = ${subscriptionId}`);
        const paid = await connection.maybeOne(sql.type(PaymentRow)`
          select id, amount_cents - refunded_cents as cents from local_payments where subscription_id = ${subscriptionId}
          order by created_at desc limit 1`);
        if (paid === null || paid.cents === 0) return { cents: 0 };
        await connection.query(sql.type(Nothing)`
          update local_payments set refunded_cents = amount_cents where id = ${paid.id}`);
        await connection.query(sql.type(Nothing)`
          insert into local_refunds (id, payment_id, amount_cents) values (${newId('lpay')}, ${paid.id}, ${paid.cents})`);
        return { cents: paid.cents };
      });
      return cents;
    },
  };
}

const stateOf = (row: SubscriptionRow): SubscriptionState => ({
  subscriptionId: row.id,
  customerId: row.customer_id,
  status: row.status,
  tier: row.tier,
  purchasedSeats: row.purchased_seats,
  cancelAtPeriodEnd: row.cancel_at_period_end,
  nextTier: row.next_tier,
  currentPeriodStart: new Date(row.period_start),
  currentPeriodEnd: new Date(row.period_end),
});
