import { sql } from '../../../database/pool.ts';
import type { LedgerLaw } from './law.ts';

/**
 * Metering in microcents, a millionth of a cent. Each wallet and meter has one stream of charges and one
 * of debits, both without a gap or an overlap. So the parts of a charge in the debits and in the remainder add up to
 * it, and no charge is debited before an earlier one.
 */
export const meterLaws: readonly LedgerLaw[] = [
  {
    law: 'a charge begins where the one before it ended',
    means: 'every microcent of a meter is one charge’s, and its parts in debits and in the remainder add up to it',
    of: 'charges',
    rows: sql.fragment`
      select id as subject, begins::text as stored, ended::text as proven, begins = ended as holds
      from (
        select c.id, c.begins, coalesce(c.ended_before, 0) as ended
        from charges c) placed`,
  },
  {
    law: 'charges are in the order of time',
    means: 'first in, first out: what was charged earlier is debited earlier',
    of: 'charges',
    rows: sql.fragment`
      select id as subject, created_at::text as stored, format('not before %s', time_before) as proven,
        coalesce(time_before <= created_at, true) as holds
      from charges`,
  },
  {
    law: 'a debit begins where the one before it of its meter ended',
    means: 'every cent that a meter took stands for the charges at its place, and for no other',
    of: 'debits of meters',
    rows: sql.fragment`
      select id as subject, meter_from_cents::text as stored, ended::text as proven, meter_from_cents = ended as holds
      from (
        select id, meter_from_cents,
          coalesce(lag(meter_from_cents + amount_cents) over (partition by wallet, meter order by position), 0) as ended
        from transfers where meter is not null) placed`,
  },
  {
    law: 'a meter charges what its sources cost',
    means: 'model calls, machine runs and other usage, to the microcent',
    of: 'meters of wallets',
    rows: sql.fragment`
      select format('%s %s', coalesce(r.operator_id, c.operator_id), coalesce(r.meter, c.meter)) as subject, r.charged_microcents::text as stored,
        coalesce(c.microcents, 0)::text as proven,
        r.charged_microcents = coalesce(c.microcents, 0) as holds
      from (select * from wallet_remainders where meter <> 'metered_action') r full join (
        select operator_id, meter, sum(microcents) as microcents from charges group by operator_id, meter) c
      on c.operator_id = r.operator_id and c.meter = r.meter`,
  },
  {
    law: 'metered actions over the allowance are charged',
    means: '10,000 microcents for each that the counters hold over the allowance',
    of: 'operators with counted actions',
    rows: sql.fragment`
      select coalesce(c.operator_id, r.operator_id) as subject, coalesce(r.charged_microcents, 0)::text as stored,
        (coalesce(c.overage, 0) * 10000)::text as proven, coalesce(r.charged_microcents, 0) = coalesce(c.overage, 0) * 10000 as holds
      from (select operator_id, sum(overage) as overage from usage_counters where meter = 'metered_action' group by operator_id) c
      full join (select operator_id, charged_microcents from wallet_remainders where meter = 'metered_action') r on r.operator_id = c.operator_id`,
  },
  {
    law: 'a meter is debited its whole cents',
    means: 'charges = debits × 1,000,000 + remainder, the remainder less than a cent',
    of: 'meters of wallets',
    rows: sql.fragment`
      select format('%s %s', coalesce(r.operator_id, d.wallet), coalesce(r.meter, d.meter)) as subject,
        r.debited_cents || ' debited of ' || r.charged_microcents || ' microcents' as stored, format('%s debited', coalesce(d.cents, 0)) as proven,
        r.debited_cents = coalesce(d.cents, 0) and r.charged_microcents - r.debited_cents * 1000000 between 0 and 999999 as holds
      from wallet_remainders r full join meter_debits d on d.wallet = r.operator_id and d.meter = r.meter`,
  },
  {
    law: 'charges are debits and remainders in total',
    means: 'the same over all wallets, of every meter and of all of them',
    of: 'meters and their total',
    rows: sql.fragment`
      select coalesce(meter, 'all meters') as subject, coalesce(sum(charged), 0)::text as stored,
        coalesce(sum(debited * 1000000 + remainder), 0)::text as proven,
        coalesce(sum(charged), 0) = coalesce(sum(debited * 1000000 + remainder), 0) as holds
      from (
        select meter, charged_microcents as charged, 0 as debited, charged_microcents - debited_cents * 1000000 as remainder from wallet_remainders
        union all
        select meter, 0, cents, 0 from meter_debits) parts
      group by rollup (meter)`,
  },
  {
    law: 'model calls have dense places',
    means: 'the calls on a wallet’s timeline are numbered 1, 2, 3 … and none is missing',
    of: 'wallets',
    rows: sql.fragment`
      select w.operator_id as subject, w.last_call::text as stored, format('%s up to %s', coalesce(c.calls, 0), coalesce(c.last, 0)) as proven,
        w.last_call = coalesce(c.calls, 0) and w.last_call = coalesce(c.last, 0) as holds
      from wallets w left join (select operator_id, count(*) as calls, max(call) as last from model_calls group by operator_id) c
      on c.operator_id = w.operator_id`,
  },
  {
    law: 'model calls stand between the transfers of their time',
    means: 'a timeline read by places is one read by time',
    of: 'model calls',
    rows: sql.fragment`
      select c.id as subject, format('call %s after transfer %s', c.call, c.position) as stored, null as proven,
        c.position <= w.last_position and c.position >= c.position_before and c.created_at >= coalesce(c.time_before, c.created_at)
          and c.created_at >= coalesce(t.created_at, c.created_at) and c.created_at <= coalesce(next.created_at, c.created_at) as holds
      from (
        select *, lag(position, 1, 0::bigint) over calls as position_before, lag(created_at) over calls as time_before
        from model_calls window calls as (partition by operator_id order by call)) c
      left join wallets w on w.operator_id = c.operator_id
      left join transfers t on t.wallet = c.operator_id and t.position = c.position
      left join transfers next on next.wallet = c.operator_id and next.position = c.position + 1`,
  },
];
