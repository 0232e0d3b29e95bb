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
  told_revision: z.number(),
  state_at: z.string().nullable(),
  /** Postgres' clock as this was read. */
  read_at: z.string(),
  /** As of when an answer counts that is asked for afterwards: it knows what was told before, though the provider's clock be ahead. */
  answer_at: z.string(),
});
export type SubscriptionRow = z.infer<typeof SubscriptionRow>;

const columns = sql.fragment`status, subscription_id, tier, period_start, period_end, cancel_at_period_end, next_tier, purchased_seats,
  revision, told_revision, state_at, clock_timestamp() as read_at, greatest(clock_timestamp(), state_at) as answer_at`;

/** Null: the operator has never asked for a subscription. */
export const findSubscription = (connection: CommonQueryMethods, operatorId: string): Promise<SubscriptionRow | null> =>
  connection.maybeOne(
    sql.type(SubscriptionRow)`select ${columns} from subscriptions where operator_id = ${operatorId}`,
  );

/** As `findSubscription`, held until the transaction ends; made where there is none. The caller has locked the operator. */
export async function lockSubscription(connection: CommonQueryMethods, operatorId: string): Promise<SubscriptionRow> {
  await connection.query(
    sql.type(Nothing)`insert into subscriptions (operator_id) values (${operatorId}) on conflict do nothing`,
  );
  return connection.one(sql.type(SubscriptionRow)`
    select ${columns} from subscriptions where operator_id = ${operatorId} for no key update`);
}

/** What an operator decides about a running subscription; its life tells the provider. */
export type Wish = Pick<SubscriptionRow, 'cancel_at_period_end' | 'next_tier' | 'purchased_seats'>;

export async function saveWish(connection: CommonQueryMethods, operatorId: string, wish: Wish): Promise<void> {
  await connection.query(sql.type(Nothing)`
    update subscriptions set cancel_at_period_end = ${wish.cancel_at_period_end}, next_tier = ${wish.next_tier},
      purchased_seats = ${wish.purchased_seats}, revision = revision + 1, due_at = clock_timestamp()
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
      told_revision = ${row.told_revision}, state_at = ${row.state_at}
    where operator_id = ${operatorId}`);
}

/** The provider is to be asked now; whoever calls it wakes the life. */
export async function askSoon(connection: CommonQueryMethods, operatorId: string): Promise<void> {
  await connection.query(sql.type(Nothing)`
    update subscriptions set ask_at = clock_timestamp(), due_at = clock_timestamp() where operator_id = ${operatorId}`);
}

/**
 * After the provider was asked at `askedAt`: it is asked again at the end of the period and when a checkout expires; a minute later
 * where the end is past and it has not renewed yet, ten later while a payment is processed; at once where it was heard of meanwhile.
 */
export async function planNextAsk(connection: CommonQueryMethods, operatorId: string, askedAt: string): Promise<void> {
  await connection.query(sql.type(Nothing)`
    update subscriptions s set ask_at = least(
      case when s.ask_at > ${askedAt} and s.ask_at <= clock_timestamp() then s.ask_at end,
      case when s.status in ('active', 'past_due', 'unpaid') then
        case when s.period_end > clock_timestamp() then s.period_end else clock_timestamp() + interval '1 minute' end end,
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
    )`select seat_ceiling - seats as seats from tiers where name = ${tier}`,
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
 * What an operator has and what waits to be paid, in one statement, so as of one moment. Null: there is no such operator.
 */
export const readStanding = (
  connection: CommonQueryMethods,
  operatorId: string,
): Promise<z.infer<typeof StandingRow> | null> =>
  connection.maybeOne(sql.type(StandingRow)`
    select o.tier as operator_tier, coalesce(s.status, 'none') as status, coalesce(s.cancel_at_period_end, false) as cancel_at_period_end,
      s.next_tier, coalesce(s.purchased_seats, 0) as purchased_seats, p.period_start, p.period_end,
      c.id as change_id, c.tier as change_tier, c.expires_at as change_expires_at, c.checkout_url
    from operators o cross join billing_period_of(o.id) p
    left join subscriptions s on s.operator_id = o.id
    left join subscription_changes c on c.operator_id = o.id and c.status in ('opening', 'waiting')
    where o.id = ${operatorId}`);

/** An audit row of the operator's, written by what the service does for it. */
export async function auditSubscription(
  connection: CommonQueryMethods,
  operatorId: string,
  action: string,
  detail: Record<string, unknown>,
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

export const reconcileSubscriptionRows = (connection: CommonQueryMethods): Promise<number> =>
  connection.oneFirst(sql.type(z.object({ woken: z.number() }))`select reconcile_subscriptions() as woken`);

/** Whose subscription this is; null: nobody's that we know. */
export const subscriberOf = (connection: CommonQueryMethods, subscriptionId: string): Promise<string | null> =>
  connection.maybeOneFirst(sql.type(z.object({ operator_id: z.string() }))`
    select operator_id from subscriptions where subscription_id = ${subscriptionId}`);
