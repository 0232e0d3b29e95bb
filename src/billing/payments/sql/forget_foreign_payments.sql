-- Deletes what was reported of payments that are not of top-ups or subscriptions here, and of transfers, a quarter of a year after the last report: another product on the same
-- account, another installation. Until then the payment itself may still be reported. What waits for a person is kept until they decide,
-- and a reversal while any transfer is being made.
create function forget_foreign_payments() returns void language sql as $$
  delete from refunded_payments r where reported_at < clock_timestamp() - interval '90 days'
    and not exists (select from top_ups t where t.payment_id = r.payment_id)
    and not exists (select from differing_payments p where p.payment_id = r.payment_id and p.status = 'open');
  delete from disputes d where reported_at < clock_timestamp() - interval '90 days' and operator_id is null
    and not exists (select from top_ups t where t.payment_id = d.payment_id)
    and not exists (select from differing_payments p where p.payment_id = d.payment_id and p.status = 'open');
  delete from transfer_reversals where reported_at < clock_timestamp() - interval '90 days'
    and not exists (select from payouts where status = 'transferring');
$$;
