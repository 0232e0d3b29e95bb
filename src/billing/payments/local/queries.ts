import { paidTiers } from '../../../fields/tiers.ts';
import { z } from 'zod';
import { sql, type CommonQueryMethods } from '../../../database/pool.ts';

const Nothing = z.object({});
const Tier = z.enum(paidTiers);

const CheckoutRow = z.object({
  id: z.string(),
  purpose: z.enum(['top_up', 'subscription', 'upgrade']),
  reference: z.string(),
  customer_id: z.string(),
  operator_id: z.string(),
  operator_name: z.string(),
  amount_cents: z.number(),
  tier: Tier.nullable(),
  purchased_seats: z.number().nullable(),
  subscription_id: z.string().nullable(),
  /** An open checkout is `expired` here as soon as its time is over. */
  status: z.enum(['open', 'paid', 'failed', 'expired']),
  expires_at: z.string(),
  payment_id: z.string().nullable(),
  receipt_id: z.string().nullable(),
});
export type CheckoutRow = z.infer<typeof CheckoutRow>;

/** @param options.forChange locks the row, for a caller that may settle it. */
export const findCheckout = (
  connection: CommonQueryMethods,
  id: string,
  { forChange }: { forChange: boolean } = { forChange: false },
): Promise<CheckoutRow | null> =>
  connection.maybeOne(sql.type(CheckoutRow)`
    select c.id, c.purpose, c.reference, c.customer_id, u.operator_id, u.name as operator_name, c.amount_cents, c.tier,
      c.purchased_seats, c.subscription_id, c.expires_at, p.id as payment_id, p.receipt_id,
      case when c.status = 'open' and c.expires_at <= clock_timestamp() then 'expired' else c.status end as status
    from local_checkouts c join local_customers u on u.id = c.customer_id left join local_payments p on p.checkout_id = c.id
    where c.id = ${id} ${forChange ? sql.fragment`for no key update of c` : sql.fragment``}`);

export async function settleCheckout(
  connection: CommonQueryMethods,
  id: string,
  status: 'paid' | 'failed' | 'expired',
): Promise<void> {
  await connection.query(
    sql.type(Nothing)`update local_checkouts set status = ${status} where id = ${id} and status = 'open'`,
  );
}

const SubscriptionRow = z.object({
  id: z.string(),
  customer_id: z.string(),
  operator_id: z.string(),
  tier: Tier,
  purchased_seats: z.number(),
  status: z.enum(['active', 'canceled']),
  cancel_at_period_end: z.boolean(),
  next_tier: Tier.nullable(),
  period_start: z.string(),
  period_end: z.string(),
});
export type SubscriptionRow = z.infer<typeof SubscriptionRow>;

/** The subscription as it is now: renewals that are due by Postgres' clock are made first. */
export async function findSubscription(connection: CommonQueryMethods, id: string): Promise<SubscriptionRow | null> {
  await connection.query(sql.type(Nothing)`select renew_local_subscription(${id})`);
  return connection.maybeOne(sql.type(SubscriptionRow)`
    select s.id, s.customer_id, u.operator_id, s.tier, s.purchased_seats, s.status, s.cancel_at_period_end, s.next_tier,
      s.period_start, s.period_end
    from local_subscriptions s join local_customers u on u.id = s.customer_id where s.id = ${id}`);
}

const PaymentRow = z.object({
  receipt_id: z.string(),
  description: z.string(),
  amount_cents: z.number(),
  refunded_cents: z.number(),
  operator_name: z.string(),
  created_at: z.string(),
});
export type PaymentRow = z.infer<typeof PaymentRow>;

const payments = sql.fragment`
  select p.receipt_id, p.description, p.amount_cents, p.refunded_cents, u.name as operator_name, p.created_at
  from local_payments p join local_customers u on u.id = p.customer_id`;

export const findReceipt = (connection: CommonQueryMethods, id: string): Promise<PaymentRow | null> =>
  connection.maybeOne(sql.type(PaymentRow)`${payments} where p.receipt_id = ${id}`);

/** The newest, at most 50. */
export const listPayments = (connection: CommonQueryMethods, customerId: string): Promise<readonly PaymentRow[]> =>
  connection.any(
    sql.type(
      PaymentRow,
    )`${payments} where p.customer_id = ${customerId} order by p.created_at desc, p.id desc limit 50`,
  );

const PortalRow = z.object({
  customer_id: z.string(),
  operator_name: z.string(),
  subscription_id: z.string().nullable(),
});

/** A portal page that was opened within the last hour, with the newest subscription of its customer. */
export const findPortal = (connection: CommonQueryMethods, id: string): Promise<z.infer<typeof PortalRow> | null> =>
  connection.maybeOne(sql.type(PortalRow)`
    select u.id as customer_id, u.name as operator_name,
      (select s.id from local_subscriptions s where s.customer_id = u.id order by s.started_at desc, s.id desc limit 1) as subscription_id
    from local_portals p join local_customers u on u.id = p.customer_id
    where p.id = ${id} and p.created_at > clock_timestamp() - interval '1 hour'`);
