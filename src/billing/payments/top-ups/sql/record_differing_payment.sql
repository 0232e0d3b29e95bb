-- A payment came in that is not the one requested: nothing is credited, and a person finds it among the audit events.
create function record_differing_payment(t top_ups, p_what text, p_session text, p_amount bigint, p_currency text, p_request text)
returns payment_effect language plpgsql as $$
begin
  perform audit_payment(t.operator_id, 'top_up.differs', t.id, jsonb_build_object('differs', p_what, 'expected_cents', t.amount_cents,
    'amount_cents', p_amount, 'currency', p_currency), p_request);
  return row('differs', t.operator_id, null)::payment_effect;
end $$;
