-- A payment came in that is not the one requested: nothing is credited, a person finds it among the audit events, and the life asks the
-- provider at once what became of the checkout.
create function record_differing_payment(t top_ups, p_what text, p_session text, p_amount bigint, p_currency text, p_request text)
returns payment_effect language plpgsql as $$
begin
  perform audit_payment(t.operator_id, 'top_up.differs', t.id, jsonb_build_object('differs', p_what, 'expected_cents', t.amount_cents,
    'amount_cents', p_amount, 'currency', p_currency), p_request);
  update top_ups set next_call_at = clock_timestamp() where id = t.id and next_call_at is not null;
  return row('differs', t.operator_id, 'top-up:' || t.id)::payment_effect;
end $$;
