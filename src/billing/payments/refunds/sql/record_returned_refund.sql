-- The bank sent a refund back at a moment of the provider's clock; null: now. The first moment that is reported of one counts.
create function record_returned_refund(p_provider_refund text, p_payment text, p_cents bigint, p_at timestamptz) returns void language sql as $$
  insert into refunded_payments (payment_id) values (p_payment)
    on conflict (payment_id) do update set reported_at = clock_timestamp();
  insert into returned_refunds as r (id, payment_id, at, cents)
    values (p_provider_refund, p_payment, coalesce(p_at, date_trunc('second', clock_timestamp())), p_cents)
    on conflict (id) do update set at = least(r.at, excluded.at), cents = coalesce(r.cents, excluded.cents);
$$;
