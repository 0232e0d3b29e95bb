import { sql } from '../../../database/pool.ts';
import type { LedgerLaw } from './law.ts';

/** The cents that a budget counts for an invocation: what it holds, or what it has cost. */
const counted = sql.fragment`
  case when i.status in ('failed', 'expired') then 0 else i.price_cents end
    + case when i.status in ('pending', 'processing') then i.compute_bound_cents else i.compute_cents end`;

/**
 * Money that is held and not moved yet, compared with what it is held for. The only law file that reads invocations.
 */
export const holdLaws: readonly LedgerLaw[] = [
  {
    law: 'held is the sum of the open holds',
    means: 'what a wallet cannot spend is what is held for open invocations and refunds',
    of: 'wallets',
    rows: sql.fragment`
      select coalesce(w.operator_id, p.operator_id) as subject, w.held_cents::text as stored, coalesce(p.cents, 0)::text as proven,
        coalesce(w.held_cents, 0) = coalesce(p.cents, 0) as holds
      from wallets w full join (
        select operator_id, sum(amount_cents) as cents from holds where status = 'held' group by operator_id) p
      on p.operator_id = w.operator_id`,
  },
  {
    law: 'a captured hold is one transfer of its amount',
    means: 'what was held is what was paid, once',
    of: 'captured holds',
    rows: sql.fragment`
      select h.id as subject, h.amount_cents::text as stored, t.amount_cents::text as proven, h.amount_cents = t.amount_cents as holds
      from holds h left join transfers t on t.cause = h.cause and t.kind in ('invocation', 'refund') and t.wallet = h.operator_id
      where h.status = 'captured'`,
  },
  {
    law: 'an invocation is paid from a captured hold',
    means: 'no price is taken that was not held before',
    of: 'prices paid',
    rows: sql.fragment`
      select t.id as subject, h.status as stored, 'captured' as proven, h.status = 'captured' as holds
      from transfers t left join holds h on h.cause = t.cause
      where t.kind = 'invocation'`,
  },
  {
    law: 'a hold follows its invocation',
    means:
      'held while it is open, captured when it completed with a price, released at every other end; for its price, and the most that its execution can cost while it is open',
    of: 'holds for invocations',
    rows: sql.fragment`
      select h.id as subject, format('%s %s', h.status, h.amount_cents) as stored,
        coalesce(format('%s %s + %s', i.status, i.price_cents, i.compute_bound_cents), 'no invocation') as proven,
        h.status = case
            when i.status in ('pending', 'processing') then 'held' when i.status = 'completed' and i.price_cents > 0 then 'captured'
            else 'released' end
          and h.amount_cents = i.price_cents + case when i.status = 'completed' and i.price_cents > 0 then 0 else i.compute_bound_cents end
          and h.operator_id = i.consumer_operator_id as holds
      from holds h left join invocations i on i.id = h.cause
      where not exists (select from refunds where id = h.cause) and not exists (select from classification_calls where id = h.cause)`,
  },
  {
    law: 'a hold follows its classification',
    means: 'the most that a model call can cost is held while it is under way, and released when its cost is known',
    of: 'holds for classifications',
    rows: sql.fragment`
      select h.id as subject, h.status as stored, case when c.ended_at is null then 'held' else 'released' end as proven,
        h.status = case when c.ended_at is null then 'held' else 'released' end and h.operator_id = c.operator_id
          and c.price_state = 'wallet_price' as holds
      from holds h join classification_calls c on c.id = h.cause`,
  },
  {
    law: 'a price has its hold',
    means: 'nobody works for money that is not held',
    of: 'invocations that cost something',
    rows: sql.fragment`
      select i.id as subject, null as stored, (i.price_cents + i.compute_bound_cents)::text as proven, h.id is not null as holds
      from invocations i left join holds h on h.cause = i.id
      where i.price_cents + i.compute_bound_cents > 0`,
  },
  {
    law: 'an execution costs what its steps cost, and no more than was held for it',
    means: 'machine time and models of a sealed or source skill are charged once, within what was promised',
    of: 'executions',
    rows: sql.fragment`
      select i.id as subject, i.compute_cents::text as stored, ceil(coalesce(s.charged, 0) / 1000000.0)::text as proven,
        i.compute_cents = ceil(coalesce(s.charged, 0) / 1000000.0) and i.compute_cents <= i.compute_bound_cents as holds
      from invocations i left join (
        select invocation_id, sum(microcents) as charged from (
          select invocation_id, microcents from machine_runs
          union all select invocation_id, microcents from model_calls where sealed_step_index is not null) sources
        group by 1) s on s.invocation_id = i.id
      where i.execution_mode <> 'open'`,
  },
  {
    law: 'a budget counts what was not given back',
    means: 'what an agent or an agent key has spent of its month is what its invocations cost',
    of: 'budgets',
    rows: sql.fragment`
      select format('%s in %s', coalesce(s.subject, c.subject), coalesce(s.month, c.month)) as subject, s.cents::text as stored,
        c.cents::text as proven, coalesce(s.cents, 0) = coalesce(c.cents, 0) as holds
      from agent_spending s full join (
        select subject, utc_month(created_at) as month, sum(${counted}) as cents
        from invocations i, lateral (values (agent_id), (api_key_id)) as subjects (subject)
        where subject is not null and price_cents + compute_bound_cents > 0
        group by 1, 2) c on c.subject = s.subject and c.month = s.month`,
  },
  {
    law: 'the budget of a passport counts its invocations and those below it, and no more than it is',
    means: 'what a passport has used is what it, its refreshes and all that was delegated from it hold or have cost',
    of: 'budgets of passports',
    rows: sql.fragment`
      select b.jti as subject, b.used_cents::text as stored, format('%s of %s', coalesce(c.cents, 0), b.amount_cents) as proven,
        b.used_cents = coalesce(c.cents, 0) and b.used_cents between 0 and b.amount_cents as holds
      from passport_budgets b left join (
        with recursive below (budget, lineage) as (
          select jti, jti from passport_budgets
          union all
          select below.budget, l.id from below join passport_lineages l on l.parent_lineage_id = below.lineage
        )
        select below.budget, sum(${counted}) as cents
        from below join passports p on p.lineage_id = below.lineage join invocations i on i.passport_id = p.jti
        group by 1) c on c.budget = b.jti`,
  },
];
