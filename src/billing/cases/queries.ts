import { z } from 'zod';
import { sql, type CommonQueryMethods } from '../../database/pool.ts';
import { BillingCaseSchema, type BillingAlarm, type BillingCase } from './schema.ts';

/** After which case a page begins. */
interface CasePlace {
  kind: BillingCase['kind'];
  id: string;
}

/**
 * Lists what waits for a person, by kind, the longest waiting first. A refund may take its time at a bank: it waits for a
 * person once it is a day old. Of lives those that move money (priority 1): their rows may stay as they are for as long as Temporal refuses.
 */
export const listCases = (
  connection: CommonQueryMethods,
  { operatorId, after, limit }: { operatorId: string | undefined; after: CasePlace | null; limit: number },
): Promise<readonly BillingCase[]> =>
  connection.any(sql.type(BillingCaseSchema)`
    select kind, alarm, id, operator_id, amount_cents, currency, concerns, since from (
      select 'alarm' as kind, kind as alarm, id, operator_id, amount_cents, currency, concerns, created_at as since
      from billing_alarms where status = 'open'
      union all
      select 'differing_payment', null, d.id, t.operator_id, d.amount_cents, d.currency, d.top_up_id, d.created_at
      from differing_payments d join top_ups t on t.id = d.top_up_id where d.status = 'open'
      union all
      select 'receivable', null, id, operator_id, amount_cents - paid_cents, 'usd', null, created_at from receivables where paid_cents < amount_cents
      union all
      select 'refund', null, id, operator_id, amount_cents, 'usd', transaction_id, created_at
      from refunds where status = 'pending' and created_at < clock_timestamp() - interval '1 day'
      union all
      select 'life', null, life, owner, null, null, null, min(refused_at)
      from lives where refused_at is not null and priority = 1 group by life, owner
    ) cases
    where ${operatorId === undefined ? sql.fragment`true` : sql.fragment`operator_id = ${operatorId}`}
      and ${after === null ? sql.fragment`true` : sql.fragment`(kind, id) > (${after.kind}, ${after.id})`}
    order by kind, id limit ${limit}`);

const StateRow = z.object({
  /** `open` while it waits for a decision, else how it stands. */
  state: z.string(),
  /** The amount that the decision is about: what is owed, held or was paid; null where the provider named no amount. */
  amount_cents: z.number().nullable(),
  operator_id: z.string(),
  currency: z.string().nullable(),
  /** The top-up of a payment, the transaction of a refund, what an alarm is about; null for a receivable. */
  concerns: z.string().nullable(),
  /** Cents (US) that were requested, where a payment differs. */
  requested_cents: z.number().nullable(),
  /** Since when an alarm waits; null for all else. One that was over is raised again under its id. */
  since: z.string().optional(),
  /** When the newest of what an alarm is about became known, as by another report of refunds; null where nothing has. */
  news_at: z.string().nullable().optional(),
});
export type CaseState = z.infer<typeof StateRow>;

/** A person decides about these: all but a life, which ends by itself. */
export interface DecidableCase extends CasePlace {
  kind: Exclude<BillingCase['kind'], 'life'>;
}

/** How the case stands; null where there is none of this id. */
export const stateOfCase = (connection: CommonQueryMethods, { kind, id }: DecidableCase): Promise<CaseState | null> => {
  const states = {
    alarm: sql.fragment`
      select a.status as state, a.amount_cents, a.operator_id, a.currency, a.concerns, null as requested_cents, a.created_at as since,
        greatest(a.news_at, p.reported_at) as news_at
      from billing_alarms a left join top_ups t on t.id = a.concerns and a.kind = 'refunds_unread'
        left join refunded_payments p on p.payment_id = t.payment_id
      where a.id = ${id}`,
    differing_payment: sql.fragment`
      select d.status as state, d.amount_cents, t.operator_id, d.currency, t.id as concerns, t.amount_cents as requested_cents
      from differing_payments d join top_ups t on t.id = d.top_up_id where d.id = ${id}`,
    receivable: sql.fragment`
      select case when paid_cents < amount_cents then 'open' else 'settled' end as state, amount_cents - paid_cents as amount_cents, operator_id,
        'usd' as currency, null as concerns, null as requested_cents
      from receivables where id = ${id}`,
    refund: sql.fragment`
      select case status when 'pending' then 'open' else status end as state, amount_cents, operator_id, 'usd' as currency,
        transaction_id as concerns, null as requested_cents
      from refunds where id = ${id}`,
  };
  return connection.maybeOne(sql.type(StateRow)`${states[kind]}`);
};

const EffectRow = z.object({
  operator_id: z.string(),
  transaction_id: z.string().nullable(),
  life: z.string().nullable(),
});
/** The operator whose wallet a decision concerned, the row that it made there, and the life that has something to do since. */
export type CaseEffect = z.infer<typeof EffectRow>;

/** The finding of a person about a refund that hangs. */
export type SettledRefund = 'succeeded' | 'failed';

/** Why the refund cannot be settled like this, as the end of a sentence; null: it can, or there is none of this id. */
export const whyNotSettled = (
  connection: CommonQueryMethods,
  id: string,
  outcome: SettledRefund,
): Promise<string | null> =>
  connection.maybeOneFirst(sql.type(z.object({ why: z.string().nullable() }))`
    select why_not_settled(r, ${outcome}) as why from refunds r where id = ${id}`);

/** @throws the refusals of `settle_refund_by_hand`. */
export const settleRefundByHand = (
  connection: CommonQueryMethods,
  id: string,
  { outcome, requestId }: { outcome: SettledRefund; requestId: string },
): Promise<CaseEffect> =>
  connection.one(sql.type(EffectRow)`
    with settled as materialized (select operator_id, life from settle_refund_by_hand(${id}, ${outcome}, ${requestId}))
    select operator_id, null as transaction_id, life from settled`);

/** Names what was decided about, and by which request. */
interface Decided {
  cents: number | null;
  requestId: string;
}

/** @throws the refusals of `close_receivable`. */
export const closeReceivable = (
  connection: CommonQueryMethods,
  id: string,
  { cents, requestId }: Decided,
): Promise<CaseEffect> =>
  connection.one(sql.type(EffectRow)`
    select operator_id, transaction_id, null as life from close_receivable(${id}, ${cents}, ${requestId})`);

/** Why the payment cannot be taken, as the end of a sentence; null: it can, or there is none of this id. */
export const whyNotTaken = (connection: CommonQueryMethods, id: string): Promise<string | null> =>
  connection.maybeOneFirst(sql.type(z.object({ why: z.string().nullable() }))`
    select why_not_taken(d) as why from differing_payments d where id = ${id}`);

/** @throws the refusals of `take_differing_payment`. */
export const takeDifferingPayment = async (
  connection: CommonQueryMethods,
  { id, requestId }: { id: string; requestId: string },
): Promise<CaseEffect> => {
  const { operator_id, life } = await connection.one(sql.type(EffectRow.omit({ transaction_id: true }))`
    select operator_id, life from take_differing_payment(${id}, ${requestId})`);
  const { transaction_id } = await connection.one(sql.type(EffectRow.pick({ transaction_id: true }))`
    select transaction_id from differing_payments where id = ${id}`);
  return { operator_id, transaction_id, life };
};

const OperatorRow = z.object({ operator_id: z.string() });

/** @returns whose payment it was; null where it no longer waits. */
export const dismissDifferingPayment = (connection: CommonQueryMethods, id: string): Promise<string | null> =>
  connection.maybeOneFirst(sql.type(OperatorRow)`
    update differing_payments d set status = 'dismissed', decided_at = clock_timestamp()
    from top_ups t where d.id = ${id} and d.status = 'open' and t.id = d.top_up_id returning t.operator_id`);

/** Whether somebody has paid for what the alarm is about, or is paid by it, so that dismissing it decides who bears that. */
export const isAboutMoney = (connection: CommonQueryMethods, id: string): Promise<boolean> =>
  connection.exists(sql.type(z.object({}))`
    select from billing_alarms where id = ${id}
      and kind not in ('refund_paid_after_all', 'dispute_unlisted')`);

/** @returns whose alarm it was; null where it no longer waits. */
export const dismissAlarm = (connection: CommonQueryMethods, id: string): Promise<string | null> =>
  connection.maybeOneFirst(sql.type(OperatorRow)`
    update billing_alarms set status = 'dismissed', decided_at = clock_timestamp()
    where id = ${id} and status = 'open' returning operator_id`);

/** Something that a person must look at, once a kind and thing. */
export async function raiseAlarm(
  connection: CommonQueryMethods,
  { kind, concerns, operatorId }: { kind: BillingAlarm; concerns: string; operatorId: string },
): Promise<void> {
  await connection.query(sql.type(z.object({}))`
    select raise_billing_alarm(${kind}, ${concerns}, ${operatorId}, null, null)`);
}

/** All that there is has become known: nobody has to look any more. */
export async function endAlarm(
  connection: CommonQueryMethods,
  { kind, concerns }: { kind: BillingAlarm; concerns: string },
): Promise<void> {
  await connection.query(sql.type(z.object({}))`select end_billing_alarm(${kind}, ${concerns})`);
}
