-- A dispute as it was when the event was made; what it ended as stays.
create function record_dispute(p_dispute text, p_payment text, p_amount bigint, p_status text, p_request text)
returns payment_effect language plpgsql as $$
declare t top_ups;
begin
  perform lock_payment(p_payment);
  select * into t from top_ups where payment_id = p_payment for no key update;
  insert into disputes as d (id, payment_id, amount_cents, status) values (p_dispute, p_payment, p_amount, p_status)
    on conflict (id) do update set status = excluded.status where d.status = 'opened';
  if t.id is null then return row('kept', null, null)::payment_effect; end if;
  perform audit_payment(t.operator_id, 'dispute.' || p_status, t.id, jsonb_build_object('amount_cents', p_amount), p_request);
  perform apply_reversals(t);
  return row(p_status, t.operator_id, null)::payment_effect;
end $$;
