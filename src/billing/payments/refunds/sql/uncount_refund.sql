-- A refund came back to the provider, which no longer counts it; sums of before that moment still do.
create function uncount_refund(p_payment text, p_cents bigint, p_at timestamptz) returns void language sql as $$
  insert into refunded_payments as p (payment_id, refunded_cents, came_back_at) values (p_payment, 0, coalesce(p_at, clock_timestamp()))
    on conflict (payment_id) do update set refunded_cents = greatest(0, p.refunded_cents - p_cents),
      came_back_at = greatest(p.came_back_at, excluded.came_back_at);
$$;
