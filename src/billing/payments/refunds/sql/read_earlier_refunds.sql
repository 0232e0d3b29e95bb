-- Of a payment that was credited just now: where its refunds were reported before, its life reads them.
create function read_earlier_refunds(t top_ups) returns void language sql as $$
  update top_ups set refunds_look_at = clock_timestamp() + interval '1 minute'
    where id = t.id and exists (select from refunded_payments where payment_id = t.payment_id);
$$;
