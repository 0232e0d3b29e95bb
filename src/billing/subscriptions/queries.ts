import { paidTiers, tiers } from '../../fields/tiers.ts';
import { z } from 'zod';
import { textArray } from '../../database/columns.ts';
import { sql, type CommonQueryMethods } from '../../database/pool.ts';
import { SeatsSchema, type Seats } from './seats-schema.ts';
import { subscriptionStatuses, subscriptionTodos } from './schema.ts';

const Nothing = z.object({});
const PaidTierColumn = z.enum(paidTiers);

const SubscriptionRow = z.object({
  status: z.enum(subscriptionStatuses),
  subscription_id: z.string().nullable(),
  tier: PaidTierColumn.nullable(),
  period_start: z.string().nullable(),
  period_end: z.string().nullable(),
  cancel_at_period_end: z.boolean(),
  next_tier: PaidTierColumn.nullable(),
  purchased_seats: z.number(),
  revision: z.number(),
  pushed_revision: z.number(),
  state_at: z.string().nullable(),
  unknown_since: z.string().nullable(),
  /** Postgres' clock as this was read. */
  read_at: z.string(),
  /**
   * The time as of which an answer counts that is requested now: not before `state_at`, even if the provider's clock is
   * ahead.
   */
  answer_at: z.string(),
});
export type SubscriptionRow = z.infer<typeof SubscriptionRow>;

const columns = sql.fragment`status, subscription_id, tier, period_start, period_end, cancel_at_period_end, next_tier, purchased_seats,
  revision, pushed_revision, state_at, unknown_since, clock_timestamp() as read_at, greatest(clock_timestamp(), state_at) as answer_at`;

/** Null where the operator has never requested a subscription. */
export const findSubscription = (connection: CommonQueryMethods, operatorId: string): Promise<SubscriptionRow | null> =>
  connection.maybeOne(
    sql.type(SubscriptionRow)`select ${columns} from subscriptions where operator_id = ${operatorId}`,
  );

/**
 * The subscription, locked until the transaction ends; inserted where there is none. The caller has locked the
 * operator.
 */
export async function lockSubscription(connection: CommonQueryMethods, operatorId: string): Promise<SubscriptionRow> {
  await connection.query(
    sql.type(Nothing)`insert into subscriptions (operator_id) values (${operatorId}) on conflict do nothing`,
  );
  return connection.one(sql.type(SubscriptionRow)`
    select ${columns} from subscriptions where operator_id = ${operatorId} for no key update`);
}

/** The wishes of an operator about a running subscription; its life pushes it to the provider. */
export type DesiredTerms = Pick<SubscriptionRow, 'cancel_at_period_end' | 'next_tier' | 'purchased_seats'>;

/** Saves the terms under the next revision; the caller wakes the life, which pushes them. */
export async function saveDesiredTerms(
  connection: CommonQueryMethods,
  operatorId: string,
  terms: DesiredTerms,
): Promise<void> {
  await connection.query(sql.type(Nothing)`
    update subscriptions set cancel_at_period_end = ${terms.cancel_at_period_end}, next_tier = ${terms.next_tier},
      purchased_seats = ${terms.purchased_seats}, revision = revision + 1
    where operator_id = ${operatorId}`);
}

export async function saveSubscription(
  connection: CommonQueryMethods,
  operatorId: string,
  row: SubscriptionRow,
): Promise<void> {
  await connection.query(sql.type(Nothing)`
    update subscriptions set status = ${row.status}, subscription_id = ${row.subscription_id}, tier = ${row.tier},
      period_start = ${row.period_start}, period_end = ${row.period_end}, cancel_at_period_end = ${row.cancel_at_period_end},
      next_tier = ${row.next_tier}, purchased_seats = ${row.purchased_seats}, revision = ${row.revision},
      pushed_revision = ${row.pushed_revision}, state_at = ${row.state_at}, unknown_since = ${row.unknown_since}
    where operator_id = ${operatorId}`);
}

/** Makes the next fetch from the provider due now; the caller wakes the life. */
export async function planFetchNow(connection: CommonQueryMethods, operatorId: string): Promise<void> {
  await connection.query(sql.type(Nothing)`
    update subscriptions set next_call_at = clock_timestamp() where operator_id = ${operatorId}`);
}

/**
 * Sets when to fetch from the provider next, after a fetch that began at `fetchedAt`: at the end of the period and when
 * a checkout expires; in a minute where the period is over and not renewed yet, in ten minutes while a payment is
 * processed; at growing intervals up to a day where the provider does not know the subscription; immediately where an event
 * came meanwhile, or a subscription is to be given back.
 */
export async function planNextFetch(
  connection: CommonQueryMethods,
  operatorId: string,
  fetchedAt: string,
): Promise<void> {
  await connection.query(sql.type(Nothing)`
    update subscriptions s set next_call_at = least(
      case when s.next_call_at > ${fetchedAt} and s.next_call_at <= clock_timestamp() then s.next_call_at end,
      (select clock_timestamp() from surplus_subscriptions where operator_id = s.operator_id and status = 'open' limit 1),
      case when s.status in ('active', 'past_due', 'unpaid') then
        case when s.unknown_since is not null then next_check_at(s.unknown_since)
          when s.period_end > clock_timestamp() then s.period_end else clock_timestamp() + interval '1 minute' end end,
      (select case when c.expires_at > clock_timestamp() then c.expires_at else clock_timestamp() + interval '10 minutes' end
        from subscription_changes c where c.operator_id = s.operator_id and c.status in ('opening', 'waiting')))
    where operator_id = ${operatorId}`);
}

const SeatsRow = z.object({
  included: z.number().nullable(),
  purchased: z.number(),
  total: z.number().nullable(),
  ceiling: z.number().nullable(),
  in_use: z.number(),
});

export async function readSeats(connection: CommonQueryMethods, operatorId: string): Promise<Seats> {
  const row = await connection.one(sql.type(SeatsRow)`select * from seats_of(${operatorId})`);
  return SeatsSchema.parse({
    included_seats: row.included,
    purchased_seats: row.purchased,
    total_seats: row.total,
    seat_ceiling: row.ceiling,
    seats_in_use: row.in_use,
  });
}

/** Seats that can be bought on a tier; null: without limit. */
export const purchasableSeats = (connection: CommonQueryMethods, tier: string): Promise<number | null> =>
  connection.oneFirst(
    sql.type(
      z.object({ seats: z.number().nullable() }),
    )`select seat_ceiling - seats as seats from tier_seats where name = ${tier}`,
  );

const StandingRow = SubscriptionRow.pick({ cancel_at_period_end: true, next_tier: true, purchased_seats: true }).extend(
  {
    operator_tier: z.enum(tiers),
    status: z.enum(subscriptionStatuses),
    period_start: z.string(),
    period_end: z.string(),
    change_id: z.string().nullable(),
    change_tier: PaidTierColumn.nullable(),
    change_expires_at: z.string().nullable(),
    /** Sealed. */
    checkout_url: z.string().nullable(),
  },
);

/**
 * Reads what an operator has and what waits to be paid, in one statement, so as of one moment. Null where there is no such
 * operator.
 */
export const readStanding = (
  connection: CommonQueryMethods,
  operatorId: string,
): Promise<z.infer<typeof StandingRow> | null> =>
  connection.maybeOne(sql.type(StandingRow)`
    select o.tier as operator_tier, coalesce(s.status, 'none') as status, coalesce(s.cancel_at_period_end, false) as cancel_at_period_end,
      s.next_tier, coalesce(s.purchased_seats, 0) as purchased_seats, p.period_start, p.period_end,
      c.id as change_id, c.tier as change_tier, c.expires_at as change_expires_at, c.checkout_url
    from operator_tiers o cross join billing_period_of(o.operator_id) p
    left join subscriptions s on s.operator_id = o.operator_id
    left join subscription_changes c on c.operator_id = o.operator_id and c.status in ('opening', 'waiting')
    where o.operator_id = ${operatorId}`);

/**
 * Notes a paid subscription beside the one that runs, for the life to give back.
 * @returns whether it is new
 */
export async function noteSurplus(
  connection: CommonQueryMethods,
  { operatorId, subscriptionId }: { operatorId: string; subscriptionId: string },
): Promise<boolean> {
  const { rowCount } = await connection.query(sql.type(Nothing)`
    insert into surplus_subscriptions (subscription_id, operator_id) values (${subscriptionId}, ${operatorId}) on conflict do nothing`);
  return rowCount > 0;
}

export const openSurplus = (connection: CommonQueryMethods, operatorId: string): Promise<readonly string[]> =>
  connection.anyFirst(sql.type(z.object({ subscription_id: z.string() }))`
    select subscription_id from surplus_subscriptions where operator_id = ${operatorId} and status = 'open' order by created_at`);

/** The outcome of a subscription beside the one that runs. */
export type SurplusOutcome = { status: 'given_back'; refundedCents: number } | { status: 'over' | 'kept' | 'refused' };

export async function settleSurplus(
  connection: CommonQueryMethods,
  subscriptionId: string,
  outcome: SurplusOutcome,
): Promise<void> {
  const cents = outcome.status === 'given_back' ? outcome.refundedCents : null;
  await connection.query(sql.type(Nothing)`
    update surplus_subscriptions set status = ${outcome.status}, refunded_cents = ${cents}
    where subscription_id = ${subscriptionId} and status = 'open'`);
}

/** Whether a subscription beside another one was given back, had ended, or could not be given back. */
export const isSettledSurplus = (connection: CommonQueryMethods, subscriptionId: string): Promise<boolean> =>
  connection.exists(sql.type(Nothing)`
    select from surplus_subscriptions where subscription_id = ${subscriptionId} and status in ('given_back', 'over', 'refused')`);

/** Writes an audit event for what the service itself did with the subscription of an operator. */
export async function auditSubscription(
  connection: CommonQueryMethods,
  { operatorId, action, detail }: { operatorId: string; action: string; detail: Record<string, unknown> },
): Promise<void> {
  await connection.query(sql.type(Nothing)`
    insert into audit_events (operator_id, actor, action, target, detail)
    values (${operatorId}, 'service', ${action}, ${operatorId}, ${JSON.stringify(detail)}::jsonb)`);
}

const StepRow = z.object({
  todo: z.enum(subscriptionTodos),
  change_id: z.string().nullable(),
  status: z.enum(subscriptionStatuses).nullable(),
  tier: z.string().nullable(),
  wait_ms: z.number().nullable(),
  until: z.string().nullable(),
});

export const advanceSubscriptionRow = (
  connection: CommonQueryMethods,
  operatorId: string,
): Promise<z.infer<typeof StepRow>> =>
  connection.one(sql.type(StepRow)`select * from advance_subscription(${operatorId})`);

export const knownSubscribers = async (
  connection: CommonQueryMethods,
  operatorIds: string[],
): Promise<readonly string[]> =>
  connection.anyFirst(sql.type(z.object({ operator_id: z.string() }))`
    select operator_id from subscriptions where operator_id = any(${textArray(operatorIds)})`);

/** The operator of a subscription; null where we do not know the subscription. */
export const subscriberOf = (connection: CommonQueryMethods, subscriptionId: string): Promise<string | null> =>
  connection.maybeOneFirst(sql.type(z.object({ operator_id: z.string() }))`
    select operator_id from subscriptions where subscription_id = ${subscriptionId}`);
