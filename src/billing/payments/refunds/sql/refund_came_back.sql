-- A refund that was settled by hand came back from the bank, and nothing here says what of it the wallet is to have: a person decides.
create function refund_came_back(r refunds, p_request text) returns payment_effect language plpgsql as $$
begin
  perform audit_payment(r.operator_id, 'refund.came_back', r.id,
    jsonb_build_object('transaction_id', r.transaction_id, 'amount_cents', r.amount_cents), p_request);
  return row('came_back', r.operator_id, null)::payment_effect;
end $$;
