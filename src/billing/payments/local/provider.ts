import type { PaidTier } from '../../../fields/tiers.ts';
import type { FragmentSqlToken } from 'slonik';
import { z } from 'zod';
import type { Context } from '../../../context/context.ts';
import { sql, type CommonQueryMethods } from '../../../database/pool.ts';
import { newId } from '../../../ids/ids.ts';
import {
  CustomerUnknown,
  PaymentRefused,
  type CheckoutState,
  type HostedPage,
  type ListedRefund,
  type PaymentProvider,
} from '../../../context/payment-provider.ts';
import { urlOfPage } from './addresses.ts';
import { keyedCall } from './keyed-call.ts';
import { findCheckout, settleCheckout, type CheckoutRow } from './queries.ts';
import { localSubscriptions } from './subscriptions.ts';

const Nothing = z.object({});
const IdRow = z.object({ id: z.string() });
const EventRow = z.object({ id: z.string(), body: z.string() });
const RefundRow = z.object({
  id: z.string(),
  amount_cents: z.number(),
  status: z.enum(['pending', 'succeeded', 'failed']),
  key: z.string().nullable(),
  made_at: z.string(),
});
const EVENTS_A_PAGE = 100;

/** A request under a key: `keyedCall` compares it with the first one of that key. */
interface CheckoutRequest {
  reference: string;
  /** Counts the pages of one reference; each closes the one before. */
  attempt: number;
  purpose: CheckoutRow['purpose'];
  customerId: string;
  amountCents: number | null;
  tier: PaidTier | null;
  purchasedSeats: number | null;
  subscriptionId: string | null;
  expiresAt: Date;
}
/** The parts of the context that the local provider works with; the context itself is made of it. */
export type LocalPaymentParts = Pick<Context, 'config' | 'encryption' | 'pool'>;

const noCustomer = (customerId: string): CustomerUnknown => new CustomerUnknown(`There is no customer ${customerId}.`);
const isCustomer = (connection: CommonQueryMethods, id: string): Promise<boolean> =>
  connection.exists(sql.type(Nothing)`select from local_customers where id = ${id}`);
const emptyRequest = { attempt: 1, amountCents: null, tier: null, purchasedSeats: null, subscriptionId: null };

/**
 * The payment provider where no Stripe key is set. A person chooses the outcome on pages of this service; payments and
 * subscriptions are kept in tables of its own. It keeps the promises that Stripe keeps, and no money moves.
 */
export function createLocalPayments(parts: LocalPaymentParts): PaymentProvider {
  const { pool } = parts;

  const openCheckoutPage = async (request: CheckoutRequest, amount: FragmentSqlToken): Promise<HostedPage> => {
    const { reference, attempt, purpose, customerId, tier, purchasedSeats, subscriptionId, expiresAt } = request;
    const key = attempt === 1 ? reference : `${reference}:${attempt}`;
    const { id } = await keyedCall(pool, { key, request, answer: IdRow }, async (connection) => {
      const made = newId('lpay');
      await connection.query(sql.type(Nothing)`
        update local_checkouts set status = 'expired' where reference = ${reference} and status = 'open'`);
      const { rowCount } = await connection.query(sql.type(Nothing)`
        insert into local_checkouts (id, purpose, reference, customer_id, amount_cents, tier, purchased_seats, subscription_id, expires_at)
        select ${made}, ${purpose}, ${reference}, id, amount_cents, ${tier}, ${purchasedSeats}, ${subscriptionId}, ${expiresAt.toISOString()}
        from local_customers, lateral (${amount}) as amounts (amount_cents) where id = ${customerId} and amount_cents > 0`);
      if (rowCount === 0 && !(await isCustomer(connection, customerId))) throw noCustomer(customerId);
      if (rowCount === 0) throw new PaymentRefused('There is nothing to pay.');
      return { id: made };
    });
    return { sessionId: id, url: urlOfPage(parts, 'checkout', id) };
  };

  const checkoutOf = async (sessionId: string): Promise<CheckoutRow> => {
    const checkout = await findCheckout(pool, sessionId);
    if (checkout === null) throw new PaymentRefused(`There is no checkout ${sessionId}.`);
    return checkout;
  };

  return {
    async ensureCustomer({ operatorId, name, email, customerNumber }) {
      const { id } = await pool.one(sql.type(IdRow)`
        insert into local_customers (id, operator_id, name, email) values (${newId('lpay')}, ${operatorId}, ${name}, ${email})
        on conflict (operator_id) do update set name = excluded.name, email = excluded.email returning id`);
      return { customerId: id, customerNumber };
    },

    openTopUp: ({ topUpId, customerId, amountCents, expiresAt }) =>
      openCheckoutPage(
        { ...emptyRequest, reference: topUpId, purpose: 'top_up', customerId, amountCents, expiresAt },
        sql.fragment`select ${amountCents}::bigint`,
      ),

    openSubscription: ({ changeId, customerId, tier, purchasedSeats, expiresAt }) =>
      openCheckoutPage(
        { ...emptyRequest, reference: changeId, purpose: 'subscription', customerId, tier, purchasedSeats, expiresAt },
        sql.fragment`select local_price(${tier}, ${purchasedSeats})`,
      ),

    /** The whole difference between the prices of the two tiers is paid: nothing is prorated here. */
    async openUpgrade({ changeId, attempt, customerId, subscriptionId, tier, expiresAt }) {
      await pool.query(sql.type(Nothing)`
        update local_subscriptions set next_tier = null where id = ${subscriptionId} and customer_id = ${customerId}`);
      return openCheckoutPage(
        {
          ...emptyRequest,
          reference: changeId,
          attempt,
          purpose: 'upgrade',
          customerId,
          tier,
          subscriptionId,
          expiresAt,
        },
        sql.fragment`
          select local_price(${tier}, 0) - local_price(tier, 0) from local_subscriptions
          where id = ${subscriptionId} and customer_id = ${customerId} and status = 'active'`,
      );
    },

    async readCheckout(sessionId): Promise<CheckoutState> {
      const { status, amount_cents, payment_id, receipt_id, subscription_id } = await checkoutOf(sessionId);
      return {
        status,
        amountCents: amount_cents,
        currency: 'usd',
        paymentId: payment_id,
        receiptUrl: receipt_id === null ? null : urlOfPage(parts, 'receipt', receipt_id),
        subscriptionId: subscription_id,
      };
    },

    async expireCheckout(sessionId) {
      await checkoutOf(sessionId);
      await settleCheckout(pool, sessionId, 'expired');
    },

    async refund({ key, paymentId, amountCents }) {
      const { id } = await keyedCall(
        pool,
        { key, request: { paymentId, amountCents }, answer: IdRow },
        async (connection) => {
          const { rowCount } = await connection.query(sql.type(Nothing)`
          update local_payments set refunded_cents = refunded_cents + ${amountCents}
          where id = ${paymentId} and refunded_cents + ${amountCents} <= amount_cents`);
          if (rowCount === 0) throw new PaymentRefused(`The payment ${paymentId} has not as much left to refund.`);
          const made = newId('lpay');
          await connection.query(sql.type(Nothing)`
          insert into local_refunds (id, payment_id, amount_cents, key) values (${made}, ${paymentId}, ${amountCents}, ${key})`);
          return { id: made };
        },
      );
      return { providerRefundId: id };
    },

    async listRefunds(paymentId) {
      const known = await pool.exists(sql.type(Nothing)`select from local_payments where id = ${paymentId}`);
      if (!known) throw new PaymentRefused(`There is no payment ${paymentId}.`);
      const rows = await pool.any(sql.type(RefundRow)`
        select id, amount_cents, status, key, iso_time(created_at) as made_at from local_refunds where payment_id = ${paymentId}
        order by created_at desc, id desc`);
      return rows.map(({ id, amount_cents: amountCents, made_at: madeAt, ...rest }): ListedRefund => ({
        providerRefundId: id,
        amountCents,
        madeAt: new Date(madeAt),
        ...rest,
      }));
    },

    ...localSubscriptions(parts),

    async readEvents({ since, after }) {
      const rows = await pool.any(sql.type(EventRow)`
        select id, body from local_webhooks where created_at >= ${since.toISOString()} and id > ${after ?? ''}
        order by id limit ${EVENTS_A_PAGE}`);
      const last = rows.length < EVENTS_A_PAGE ? undefined : rows.at(-1)?.id;
      return { events: rows.map(({ body }) => JSON.parse(body) as unknown), after: last ?? null };
    },

    ensurePortal: () => Promise.resolve(null),

    async openPortal({ portalId, customerId }) {
      const { id } = await keyedCall(
        pool,
        { key: portalId, request: { customerId }, answer: IdRow },
        async (connection) => {
          const made = newId('lpay');
          const { rowCount } = await connection.query(sql.type(Nothing)`
          insert into local_portals (id, customer_id) select ${made}, id from local_customers where id = ${customerId}`);
          if (rowCount === 0) throw noCustomer(customerId);
          return { id: made };
        },
      );
      return { url: urlOfPage(parts, 'portal', id) };
    },

    async transfer({ key, operatorId, account, amountCents }) {
      const { id } = await keyedCall(
        pool,
        { key, request: { operatorId, account, amountCents }, answer: IdRow },
        async (connection) => {
          if (!/^acct_\w+$/.test(account)) throw new PaymentRefused(`There is no account ${account}.`);
          const made = newId('lpay');
          await connection.query(sql.type(Nothing)`
          insert into local_transfers (id, operator_id, account, amount_cents) values (${made}, ${operatorId}, ${account}, ${amountCents})`);
          return { id: made };
        },
      );
      return { transferId: id };
    },
  };
}
