import { sql } from '../../../database/pool.ts';
import type { LedgerLaw } from './law.ts';

/** Money that came from the payment provider, went back to it, or is owed because the provider took it back. */
export const paymentLaws: readonly LedgerLaw[] = [
  {
    law: 'a paid top-up is one credit of its amount',
    means: 'whatever webhooks reported and however often; and nothing else is a top-up',
    of: 'paid top-ups',
    rows: sql.fragment`
      select coalesce(p.id, t.cause) as subject, t.amount_cents::text as stored, p.amount_cents::text as proven,
        (t.id, t.amount_cents, t.wallet) is not distinct from (p.transaction_id, p.amount_cents, p.operator_id) as holds
      from (select * from top_ups where status = 'paid') p full join (select * from transfers where kind = 'topup') t on t.cause = p.id`,
  },
  {
    law: 'a refund holds its money until it is settled',
    means: 'pending: held, succeeded: paid once, failed: given back, also when it had succeeded at first',
    of: 'refunds',
    rows: sql.fragment`
      select r.id as subject, h.status as stored, r.status as proven,
        (h.amount_cents, h.operator_id) is not distinct from (r.amount_cents, r.operator_id)
          and h.status = case r.status when 'pending' then 'held' when 'succeeded' then 'captured'
            else case when back.id is null then 'released' else 'captured' end end
          and (back.id is null or (r.status = 'failed' and back.amount_cents = r.amount_cents)) as holds
      from refunds r left join holds h on h.cause = r.id
      left join transfers back on back.kind = 'adjustment' and back.cause = 'unrefunded:' || r.id`,
  },
  {
    law: 'a refund is paid from a captured hold',
    means: 'nothing goes back to the payment provider that was not held first',
    of: 'refunds paid',
    rows: sql.fragment`
      select t.id as subject, h.status as stored, 'captured' as proven, h.status = 'captured' and r.id is not null as holds
      from transfers t left join holds h on h.cause = t.cause left join refunds r on r.id = t.cause
      where t.kind = 'refund'`,
  },
  {
    law: 'a wallet owes its open receivables',
    means: 'what chargebacks took and the wallet did not have',
    of: 'wallets',
    rows: sql.fragment`
      select w.operator_id as subject, w.receivable_cents::text as stored, coalesce(r.owed, 0)::text as proven,
        w.receivable_cents = coalesce(r.owed, 0) as holds
      from wallets w left join (select operator_id, sum(amount_cents - paid_cents) as owed from receivables group by operator_id) r
      on r.operator_id = w.operator_id`,
  },
  {
    law: 'a wallet that owes has nothing available',
    means: 'whatever becomes available pays what is owed first',
    of: 'wallets',
    rows: sql.fragment`
      select operator_id as subject, format('%s available, %s owed', posted_cents - held_cents, receivable_cents) as stored, null as proven,
        receivable_cents = 0 or posted_cents = held_cents as holds
      from wallets`,
  },
  {
    law: 'a receivable is paid by its transfers',
    means: 'later credits paid it, cent by cent',
    of: 'receivables',
    rows: sql.fragment`
      select coalesce(r.id, t.receivable) as subject, r.paid_cents::text as stored, coalesce(t.cents, 0)::text as proven,
        r.paid_cents = coalesce(t.cents, 0) as holds
      from receivables r full join (
        select regexp_replace(cause, '^receivable:(.*):[^:]*$', '\\1') as receivable, sum(amount_cents) as cents
        from transfers where kind = 'adjustment' and cause like 'receivable:%' group by 1) t
      on t.receivable = r.id`,
  },
  {
    law: 'a dispute took what its moves add up to',
    means: 'what left the wallet and what it owes since, less what came back',
    of: 'disputes',
    rows: sql.fragment`
      select d.id as subject, d.taken_cents::text as stored, coalesce(m.cents, 0)::text as proven,
        d.taken_cents = coalesce(m.cents, 0) as holds
      from disputes d left join (
        select split_part(cause, ':', 2) as dispute, sum(cents) as cents from (
          select cause, amount_cents as cents from transfers where kind = 'adjustment' and cause like 'dispute:%'
          union all
          select cause, -amount_cents from transfers where kind = 'adjustment' and cause like 'returned:%'
          union all
          select id, amount_cents from receivables where id like 'dispute:%') moves
        group by 1) m
      on m.dispute = d.id`,
  },
  {
    law: 'what is known of a paid top-up has been done',
    means:
      'its disputes took or gave back money, and the wallet has paid what the provider lists as refunded without us, whichever report came first',
    of: 'disputes and refunds at the provider of paid top-ups',
    rows: sql.fragment`
      select d.id as subject, format('%s: %s', d.status, d.taken_cents) as stored, dispute_due(d)::text as proven,
        d.taken_cents = dispute_due(d) as holds
      from disputes d join top_ups t on t.payment_id = d.payment_id and t.status = 'paid'
      union all
      select p.payment_id, p.charged_back_cents::text, refunds_due(t)::text, p.charged_back_cents = refunds_due(t)
      from refunded_payments p join top_ups t on t.payment_id = p.payment_id and t.status = 'paid'`,
  },
  {
    law: 'a refund of ours is as the provider lists it',
    means: 'what it has paid was captured, and what it has not was given back; one that was released is paid otherwise',
    of: 'refunds of ours at the provider',
    rows: sql.fragment`
      select r.id as subject, r.status as stored, l.status as proven,
        case l.status when 'pending' then true when 'succeeded' then r.status <> 'pending' else r.status = 'failed' end
          and (l.cents, t.payment_id) is not distinct from (r.amount_cents, l.payment_id) as holds
      from provider_refunds l join refunds r on r.id = l.refund_id join top_ups t on t.id = r.top_up_id`,
  },
  {
    law: 'what was refunded without us was taken back',
    means: 'from the wallet and as receivables together, less what came back',
    of: 'payments that were refunded',
    rows: sql.fragment`
      select p.payment_id as subject, p.charged_back_cents::text as stored, coalesce(c.cents, 0)::text as proven,
        p.charged_back_cents = coalesce(c.cents, 0) as holds
      from refunded_payments p left join (
        select split_part(cause, ':', 2) as payment_id, sum(cents) as cents from (
          select cause, amount_cents as cents from transfers where kind = 'adjustment' and cause like 'refunded:%'
          union all
          select cause, -amount_cents from transfers where kind = 'adjustment' and cause like 'given_back:%'
          union all
          select id, amount_cents from receivables where id like 'refunded:%') parts
        group by 1) c
      on c.payment_id = p.payment_id`,
  },
  {
    law: 'what the payment provider moved has its reason',
    means: 'a dispute, a refund without us, a refund that came back, or what was owed since',
    of: 'adjustments by the payment provider',
    rows: sql.fragment`
      select t.id as subject, t.cause as stored, null as proven,
        coalesce(d.id, p.payment_id, back.id, owed.id) is not null as holds
      from transfers t
      left join disputes d on t.cause like any (array['dispute:%', 'returned:%']) and d.id = split_part(t.cause, ':', 2)
      left join refunded_payments p on t.cause like any (array['refunded:%', 'given_back:%']) and p.payment_id = split_part(t.cause, ':', 2)
      left join refunds back on back.id = case when t.cause like 'unrefunded:%' then substr(t.cause, 12) end
      left join receivables owed on owed.id = case when t.cause like 'receivable:%' then regexp_replace(t.cause, '^receivable:(.*):[^:]*$', '\\1') end
      where t.kind = 'adjustment' and 'platform:payments' in (t.debit_account, t.credit_account)`,
  },
];
