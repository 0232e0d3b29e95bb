import { sql } from '../../../database/pool.ts';
import type { LedgerLaw } from './law.ts';

/** Balances, and the transfers that they are sums of. */
export const accountLaws: readonly LedgerLaw[] = [
  {
    law: 'a wallet is the sum of its transfers',
    means: 'its balance is its top-ups less its debits and refunds, with its adjustments, to the cent',
    of: 'wallets',
    rows: sql.fragment`
      select w.operator_id as subject, w.posted_cents::text as stored,
        format('%s (top-ups %s, debits %s, refunds %s, adjustments %s)', coalesce(a.cents, 0), coalesce(a.topped_up, 0),
          coalesce(a.debited, 0), coalesce(a.refunded, 0), coalesce(a.adjusted, 0)) as proven,
        w.posted_cents = coalesce(a.topped_up - a.debited - a.refunded + a.adjusted, 0) as holds
      from wallets w left join accounts a on a.account = 'wallet:' || w.operator_id`,
  },
  {
    law: 'earnings are the sum of their transfers',
    means: 'what was captured for a publisher, less payouts and commissions',
    of: 'earnings accounts',
    rows: sql.fragment`
      select e.operator_id as subject, e.posted_cents::text as stored, coalesce(a.cents, 0)::text as proven,
        e.posted_cents = coalesce(a.cents, 0) as holds
      from earnings e left join accounts a on a.account = 'earnings:' || e.operator_id`,
  },
  {
    law: 'every account has its row',
    means: 'no money is in an account of nobody',
    of: 'accounts with transfers',
    rows: sql.fragment`
      select a.account as subject, null as stored, a.cents::text as proven,
        case when a.account like 'wallet:_%' then w.operator_id is not null when a.account like 'earnings:_%' then e.operator_id is not null
          else a.account like 'platform:_%' end as holds
      from accounts a
      left join wallets w on a.account = 'wallet:' || w.operator_id
      left join earnings e on a.account = 'earnings:' || e.operator_id`,
  },
  {
    law: 'money moves between the accounts of its kind',
    means:
      'top-ups and refunds meet the payment provider, prices the publisher, usage the meters, payouts the earnings',
    of: 'transfers',
    rows: sql.fragment`
      select id as subject, format('%s from %s to %s, meter %s', kind, debit_account, credit_account, coalesce(meter, 'none')) as stored,
        null as proven,
        case kind
          when 'topup' then debit_account = 'platform:payments' and credit_account like 'wallet:_%' and meter is null
          when 'refund' then credit_account = 'platform:payments' and debit_account like 'wallet:_%' and meter is null
          when 'invocation' then debit_account like 'wallet:_%' and credit_account like 'earnings:_%' and meter is null
          when 'adjustment' then wallet is not null and (debit_account like 'platform:_%' or credit_account like 'platform:_%') and meter is null
          when 'payout' then wallet is null and 'platform:payouts' in (debit_account, credit_account)
          when 'commission' then wallet is null and 'platform:commission' in (debit_account, credit_account)
          else debit_account like 'wallet:_%' and credit_account = 'platform:metering' and kind = case
            when meter in ('sealed_execution', 'llm_gateway') then 'compute' when meter = 'identity' then 'identity'
            when meter is not null then 'overage' end
        end as holds
      from transfers`,
  },
  {
    law: 'balances and platform accounts sum to zero',
    means: 'no cent was made or lost: all wallets, all earnings and the platform’s accounts together',
    of: 'sums over everything',
    rows: sql.fragment`
      select 'everything' as subject, total::text as stored, '0' as proven, total = 0 as holds
      from (select (select coalesce(sum(posted_cents), 0) from wallets) + (select coalesce(sum(posted_cents), 0) from earnings)
        + (select coalesce(sum(cents), 0) from accounts where account like 'platform:%') as total) sums`,
  },
  {
    law: 'nothing is negative',
    means: 'no wallet has less than is held in it, no earnings are below zero',
    of: 'balances',
    rows: sql.fragment`
      select operator_id as subject, format('%s posted, %s held', posted_cents, held_cents) as stored, null as proven,
        posted_cents >= held_cents and held_cents >= 0 as holds from wallets
      union all
      select operator_id, posted_cents || ' earned', null, posted_cents >= 0 from earnings`,
  },
  {
    law: 'positions are dense',
    means: 'the transfers of a wallet are numbered 1, 2, 3 … and none is missing',
    of: 'wallets',
    rows: sql.fragment`
      select w.operator_id as subject, w.last_position::text as stored, format('%s up to %s', coalesce(t.transfers, 0), coalesce(t.last, 0)) as proven,
        w.last_position = coalesce(t.transfers, 0) and w.last_position = coalesce(t.last, 0) as holds
      from wallets w left join (
        select wallet, count(*) as transfers, max(position) as last from transfers where wallet is not null group by wallet) t
      on t.wallet = w.operator_id`,
  },
  {
    law: 'a row leaves the balance that it says',
    means: 'the statement shows after each row what all rows up to it add up to',
    of: 'transfers of wallets with a balance',
    rows: sql.fragment`
      select id as subject, balance_after_cents::text as stored, balance::text as proven, balance_after_cents = balance as holds
      from (select id, balance_after_cents, sum(case when credit_account = 'wallet:' || wallet then amount_cents else -amount_cents end)
          over (partition by wallet order by position) as balance
        from transfers where wallet is not null) balances
      where balance_after_cents is not null`,
  },
  {
    law: 'positions are in the order of time',
    means: 'a later transfer of a wallet has a later place',
    of: 'transfers of wallets',
    rows: sql.fragment`
      select id as subject, created_at::text as stored, format('not before %s', before) as proven, coalesce(before <= created_at, true) as holds
      from (select id, created_at, lag(created_at) over (partition by wallet order by position) as before
        from transfers where wallet is not null) ordered`,
  },
];
