import { sql } from '../../../database/pool.ts';

/** A sentence that must hold of every row of a kind at any moment. */
export interface LedgerLaw {
  law: string;
  /** In words, for readers of a proof. */
  means: string;
  /** Names what `rows` has a row for, e.g. `wallets`. */
  of: string;
  /**
   * A query of (subject, stored, proven, holds), one row for each thing checked. May read the tables of `ledgerFacts`.
   */
  rows: ReturnType<typeof sql.fragment>;
}

/** Tables that several laws read, computed once a proof. */
export const ledgerFacts = sql.fragment`
  movements as (
    select debit_account as account, kind, -amount_cents as cents from transfers
    union all
    select credit_account, kind, amount_cents from transfers
  ), accounts as materialized (
    select account, sum(cents) as cents, coalesce(sum(cents) filter (where kind = 'topup'), 0) as topped_up,
      -coalesce(sum(cents) filter (where kind in ('invocation', 'compute', 'identity', 'overage')), 0) as debited,
      -coalesce(sum(cents) filter (where kind = 'refund'), 0) as refunded,
      coalesce(sum(cents) filter (where kind not in ('topup', 'invocation', 'compute', 'identity', 'overage', 'refund')), 0) as adjusted
    from movements group by account
  ), meter_debits as materialized (
    select wallet, meter, sum(amount_cents) as cents from transfers where meter is not null group by wallet, meter
  ), charges as materialized (
    select *, lag(begins + microcents) over stream as ended_before, lag(created_at) over stream as time_before
    from (
      select id, operator_id, meter, begins_microcents as begins, microcents, created_at from model_calls where meter is not null
      union all
      select id, operator_id, meter, begins_microcents, microcents, created_at from machine_runs where meter is not null
      union all
      select source, operator_id, meter, begins_microcents, microcents, created_at from usage_charges where begins_microcents is not null
    ) sources window stream as (partition by operator_id, meter order by begins)
  )`;
