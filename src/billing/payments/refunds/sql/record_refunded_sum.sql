-- How much of a payment had gone back at a moment of the provider's clock; null: now.
create function record_refunded_sum(p_payment text, p_cents bigint, p_at timestamptz) returns void language sql as $$
  insert into refunded_payments (payment_id) values (p_payment)
    on conflict (payment_id) do update set reported_at = clock_timestamp();
  insert into refunded_sums as s (payment_id, at, cents)
    values (p_payment, coalesce(p_at, date_trunc('second', clock_timestamp())), p_cents)
    on conflict (payment_id, at) do update set cents = greatest(s.cents, excluded.cents);
$$;
