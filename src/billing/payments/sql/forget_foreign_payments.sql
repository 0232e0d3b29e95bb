-- Deletes what was reported of payments that are not of top-ups here, and of transfers, a quarter of a year after the last report: another product on the same
-- account, another installation. Until then the payment itself may still be reported.
create function forget_foreign_payments() returns void language sql as $$
  delete from refunded_payments r where reported_at < clock_timestamp() - interval '90 days'
    and not exists (select from top_ups t where t.payment_id = r.payment_id);
  delete from disputes d where reported_at < clock_timestamp() - interval '90 days'
    and not exists (select from top_ups t where t.payment_id = d.payment_id);
  delete from transfer_reversals where reported_at < clock_timestamp() - interval '90 days';
$$;
