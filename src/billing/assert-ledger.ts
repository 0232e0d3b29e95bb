import { z } from 'zod';
import { sql, type CommonQueryMethods } from '../database/pool.ts';
import { paymentLaws } from './payment-laws.ts';

const FaultRow = z.object({
  law: z.string(),
  subject: z.string(),
  stored: z.string().nullable(),
  proven: z.string().nullable(),
});

/** A law of the ledger that some row breaks: what is stored, and what the other rows prove. */
export type LedgerFault = z.infer<typeof FaultRow>;

/**
 * Everything the ledger breaks, at most 50 rows; empty when it is right. One statement, so it sees one snapshot and is
 * true while commands run. It reads holds against invocations too: the one place that looks across the two domains'
 * tables.
 */
export async function ledgerFaults(connection: CommonQueryMethods): Promise<readonly LedgerFault[]> {
  return connection.any(sql.type(FaultRow)`
    with movements as (
      select debit_account as account, -amount_cents as cents from transfers
      union all
      select credit_account, amount_cents from transfers
    ), accounts as (
      select account, sum(cents) as cents from movements group by account
    ), promised as (
      select operator_id, sum(amount_cents) as cents from holds where status = 'held' group by operator_id
    ), faults (law, subject, stored, proven) as (
      select 'a wallet is the sum of its transfers', w.operator_id, w.posted_cents::text, coalesce(a.cents, 0)::text
        from wallets w left join accounts a on a.account = 'wallet:' || w.operator_id
        where w.posted_cents <> coalesce(a.cents, 0)
      union all
      select 'earnings are the sum of their transfers', e.operator_id, e.posted_cents::text, coalesce(a.cents, 0)::text
        from earnings e left join accounts a on a.account = 'earnings:' || e.operator_id
        where e.posted_cents <> coalesce(a.cents, 0)
      union all
      select 'every account has its row', a.account, null, a.cents::text
        from accounts a
        where (a.account like 'wallet:%' and not exists (select from wallets where operator_id = substr(a.account, 8)))
          or (a.account like 'earnings:%' and not exists (select from earnings where operator_id = substr(a.account, 10)))
          or a.account !~ '^(wallet|earnings|platform):.'
      union all
      select 'balances and platform accounts sum to zero', 'everything', total::text, '0'
        from (select (select coalesce(sum(posted_cents), 0) from wallets) + (select coalesce(sum(posted_cents), 0) from earnings)
          + (select coalesce(sum(cents), 0) from accounts where account like 'platform:%') as total) sums
        where total <> 0
      union all
      select 'held is the sum of the open holds', w.operator_id, w.held_cents::text, coalesce(p.cents, 0)::text
        from wallets w full join promised p on p.operator_id = w.operator_id
        where coalesce(w.held_cents, 0) <> coalesce(p.cents, 0)
      union all
      select 'nothing is negative', operator_id, posted_cents || ' - ' || held_cents, null
        from wallets where posted_cents < held_cents or held_cents < 0
      union all
      select 'positions are dense', w.operator_id, w.last_position::text, count(t.id) || ' up to ' || coalesce(max(t.position), 0)
        from wallets w left join transfers t on t.wallet = w.operator_id
        group by w.operator_id, w.last_position
        having count(t.id) <> w.last_position or coalesce(max(t.position), 0) <> w.last_position
      union all
      select 'positions are in the order of time', wallet, created_at::text, before::text
        from (select wallet, created_at, lag(created_at) over (partition by wallet order by position) as before
          from transfers where wallet is not null) ordered
        where before > created_at
      union all
      select 'a captured hold is one transfer of its amount', h.id, h.amount_cents::text, t.amount_cents::text
        from holds h left join transfers t on t.cause = h.cause and t.kind in ('invocation', 'refund') and t.wallet = h.operator_id
        where h.status = 'captured' and t.amount_cents is distinct from h.amount_cents
      union all
      select 'an invocation is paid from a captured hold', t.id, h.status, 'captured'
        from transfers t left join holds h on h.cause = t.cause
        where t.kind = 'invocation' and h.status is distinct from 'captured'
      union all
      select 'a hold follows its invocation', h.id, h.status, coalesce(i.status, 'no invocation')
        from holds h left join invocations i on i.id = h.cause
        where not exists (select from refunds where id = h.cause) and (h.status is distinct from case
            when i.status in ('pending', 'processing') then 'held' when i.status = 'completed' then 'captured'
            when i.status in ('failed', 'expired') then 'released' end
          or h.amount_cents <> i.price_cents or h.operator_id <> i.consumer_operator_id)
      union all
      select 'a price has its hold', i.id, i.price_cents::text, null
        from invocations i where i.price_cents > 0 and not exists (select from holds where cause = i.id)
      union all
      select 'a meter is debited its whole cents', r.operator_id || ' ' || r.meter, r.debited_cents::text, coalesce(sum(t.amount_cents), 0)::text
        from wallet_remainders r left join transfers t on t.wallet = r.operator_id and t.meter = r.meter
        group by r.operator_id, r.meter, r.debited_cents, r.charged_microcents
        having r.debited_cents <> coalesce(sum(t.amount_cents), 0)
          or r.charged_microcents - r.debited_cents * 1000000 not between 0 and 999999
      union all
      select 'metered actions over the allowance are charged', coalesce(c.operator_id, r.operator_id),
          coalesce(r.charged_microcents, 0)::text, (coalesce(c.overage, 0) * 10000)::text
        from (select operator_id, sum(overage) as overage from usage_counters where meter = 'metered_action' group by operator_id) c
        full join (select operator_id, charged_microcents from wallet_remainders where meter = 'metered_action') r on r.operator_id = c.operator_id
        where coalesce(r.charged_microcents, 0) <> coalesce(c.overage, 0) * 10000
      union all
      select 'a payout is its transfers, and a failed one their return', coalesce(e.kind || ' ' || e.cause, t.kind || ' ' || t.cause),
          t.amount_cents::text, e.cents::text
        from (
          select kind, case when returned then id || ':returned' else id end as cause, cents,
            case when returned then side else 'earnings:' || operator_id end as debit_account,
            case when returned then 'earnings:' || operator_id else side end as credit_account
          from payouts,
            lateral (values ('payout', 'platform:payouts', net_cents), ('commission', 'platform:commission', commission_cents))
              as parts (kind, side, cents),
            (values (false), (true)) as ways (returned)
          where cents > 0 and (status = 'failed' or (status in ('transferring', 'paid') and not returned))) e
        full join (select * from transfers where kind in ('payout', 'commission')) t on t.kind = e.kind and t.cause = e.cause
        where (t.amount_cents, t.debit_account, t.credit_account) is distinct from (e.cents, e.debit_account, e.credit_account)
      union all
      select 'a budget counts what was not given back', coalesce(s.subject, c.subject), s.cents::text, c.cents::text
        from agent_spending s full join (
          select subject, utc_month(created_at) as month, sum(price_cents) as cents
          from invocations, lateral (values (agent_id), (api_key_id)) as subjects (subject)
          where subject is not null and price_cents > 0 and status in ('pending', 'processing', 'completed')
          group by 1, 2) c on c.subject = s.subject and c.month = s.month
        where coalesce(s.cents, 0) <> coalesce(c.cents, 0)
      union all
      ${paymentLaws}
    )
    select law, subject, stored, proven from faults limit 50`);
}

/** @throws Error listing every law that does not hold. */
export async function assertLedger(connection: CommonQueryMethods): Promise<void> {
  const faults = await ledgerFaults(connection);
  if (faults.length === 0) return;
  const lines = faults.map(
    ({ law, subject, stored, proven }) =>
      `  ${law}: ${subject} has ${stored ?? 'nothing'}, should have ${proven ?? 'another'}`,
  );
  throw new Error(`The ledger is wrong.\n${lines.join('\n')}`);
}
