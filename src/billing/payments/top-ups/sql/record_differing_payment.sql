-- A payment came in that is not the one requested: nothing is credited, it waits for a person (decision B35), and the life asks the
-- provider immediately for the outcome of the checkout.
create function record_differing_payment(
  t top_ups, p_what text, p_outcome text, p_session text, p_amount bigint, p_currency text, p_payment text, p_request text
) returns payment_effect language plpgsql as $$
begin
  if p_outcome = 'paid' then
    insert into differing_payments (id, top_up_id, differs, session_id, payment_id, amount_cents, currency)
      values (new_prefixed_id('dif'), t.id, p_what, p_session, p_payment, p_amount, p_currency) on conflict do nothing;
  end if;
  perform audit_payment(t.operator_id, 'top_up.differs', t.id, jsonb_build_object('differs', p_what, 'expected_cents', t.amount_cents,
    'amount_cents', p_amount, 'currency', p_currency), p_request);
  update top_ups set next_call_at = clock_timestamp() where id = t.id and next_call_at is not null;
  return row('differs', t.operator_id, 'top-up:' || t.id)::payment_effect;
end $$;
