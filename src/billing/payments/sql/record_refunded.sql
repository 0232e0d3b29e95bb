-- Some of a payment went back; the sum so far, at a time of the provider's clock. Also before the payment itself is known.
create function record_refunded(p_payment text, p_refunded bigint, p_at timestamptz) returns payment_effect language plpgsql as $$
declare t top_ups;
begin
  perform lock_payment(p_payment);
  select * into t from top_ups where payment_id = p_payment for no key update;
  perform record_refunded_sum(p_payment, p_refunded, p_at);
  if t.id is null then return row('kept', null, null)::payment_effect; end if;
  perform apply_reversals(t);
  return row('refunded', t.operator_id, null)::payment_effect;
end $$;
