-- Some of a payment went back; the sum so far, at a time of the provider's clock. Also before the payment itself is known.
create function record_refunded(p_payment text, p_refunded bigint, p_at timestamptz) returns payment_effect language plpgsql as $$
declare t top_ups;
begin
  perform lock_payment(p_payment);
  select * into t from top_ups where payment_id = p_payment for no key update;
  insert into refunded_payments as r (payment_id, refunded_cents) values (p_payment, p_refunded)
    on conflict (payment_id) do update set refunded_cents = greatest(r.refunded_cents, excluded.refunded_cents),
        reported_at = clock_timestamp()
      where r.came_back_at is null or p_at > r.came_back_at;
  if t.id is null then return row('kept', null, null)::payment_effect; end if;
  perform apply_reversals(t);
  return row('refunded', t.operator_id, null)::payment_effect;
end $$;
