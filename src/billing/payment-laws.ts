import { sql } from '../database/pool.ts';

/** The part of the ledger's laws that payments keep: rows (law, subject, stored, proven) of whatever breaks one. */
export const paymentLaws = sql.fragment`
  select 'a paid top-up is one credit of its amount', coalesce(p.id, t.cause), t.amount_cents::text, p.amount_cents::text
    from (select * from top_ups where status = 'paid') p full join (select * from transfers where kind = 'topup') t on t.cause = p.id
    where (t.id, t.amount_cents, t.debit_account, t.wallet)
      is distinct from (p.transaction_id, p.amount_cents, case when p.id is not null then 'platform:payments' end, p.operator_id)
  union all
  select 'a refund holds its money until it is settled', r.id, h.status, r.status
    from refunds r left join holds h on h.cause = r.id
      left join transfers back on back.kind = 'adjustment' and back.cause = 'unrefunded:' || r.id
    where (h.amount_cents, h.operator_id) is distinct from (r.amount_cents, r.operator_id)
      or h.status is distinct from case r.status when 'pending' then 'held' when 'succeeded' then 'captured'
        else case when back.id is null then 'released' else 'captured' end end
      or (back.id is not null and (r.status <> 'failed' or back.amount_cents <> r.amount_cents))
  union all
  select 'a refund is paid from a captured hold', t.id, h.status, 'captured'
    from transfers t left join holds h on h.cause = t.cause
    where t.kind = 'refund' and h.status is distinct from 'captured'
  union all
  select 'a wallet owes its open receivables', w.operator_id, w.receivable_cents::text, coalesce(r.owed, 0)::text
    from wallets w left join (select operator_id, sum(amount_cents - paid_cents) as owed from receivables group by operator_id) r
      on r.operator_id = w.operator_id
    where w.receivable_cents <> coalesce(r.owed, 0)
  union all
  select 'a receivable is paid by its transfers', r.id, r.paid_cents::text, coalesce(t.cents, 0)::text
    from receivables r left join (
      select regexp_replace(cause, '^receivable:(.*):[^:]*$', '\\1') as receivable, sum(amount_cents) as cents
      from transfers where kind = 'adjustment' and cause like 'receivable:%' group by 1) t on t.receivable = r.id
    where r.paid_cents <> coalesce(t.cents, 0)
  union all
  select 'a dispute takes its amount once, and gives back what it took', d.id, (coalesce(taken.amount_cents, 0) + coalesce(r.amount_cents, 0))::text,
      case when d.charged then d.amount_cents else 0 end::text
    from disputes d left join transfers taken on taken.kind = 'adjustment' and taken.cause = d.id
      left join receivables r on r.id = d.id
      left join transfers back on back.kind = 'adjustment' and back.cause = 'returned:' || d.id
    where case when d.returned
        then coalesce(back.amount_cents, 0) <> coalesce(taken.amount_cents, 0) + coalesce(r.paid_cents, 0)
          or r.amount_cents > r.paid_cents
        else back.id is not null
          or coalesce(taken.amount_cents, 0) + coalesce(r.amount_cents, 0) <> case when d.charged then d.amount_cents else 0 end end
  union all
  select 'what was refunded without us was taken back', p.payment_id, p.charged_back_cents::text, coalesce(c.cents, 0)::text
    from refunded_payments p left join (
      select split_part(cause, ':', 2) as payment_id, sum(cents) as cents from (
        select cause, amount_cents as cents from transfers where kind = 'adjustment' and cause like 'refunded:%'
        union all
        select id, amount_cents from receivables where id like 'refunded:%') parts
      group by 1) c on c.payment_id = p.payment_id
    where p.charged_back_cents <> coalesce(c.cents, 0)`;
