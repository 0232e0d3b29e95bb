-- Takes a payment that was not the one requested into the wallet, as a person decided: as what its top-up was paid with, or, where that
-- was paid already or has another session, as a top-up of its own. So it can be refunded and disputed like any other.
create function take_differing_payment(p_differing text, p_request text) returns payment_effect language plpgsql as $$
declare d differing_payments; t top_ups; transfer text; why text;
begin
  select * into d from differing_payments where id = p_differing;
  if not found then perform refuse('NOT_FOUND', 'There is no such payment.'); end if;
  perform lock_payment(d.payment_id);
  select * into strict t from top_ups where id = d.top_up_id for no key update;
  select * into strict d from differing_payments where id = p_differing for no key update;
  why := why_not_taken(d);
  if why is not null then perform refuse('INVALID_STATE', format('This payment cannot be taken: %s.', why)); end if;
  if t.status = 'paid' or t.session_id <> d.session_id then
    insert into top_ups (id, operator_id, provider, amount_cents, seconds, return_to, expires_at)
      values (new_prefixed_id('top'), t.operator_id, t.provider, d.amount_cents, t.seconds, t.return_to, clock_timestamp()) returning * into t;
  end if;
  transfer := credit_wallet(new_prefixed_id('txn'), t.operator_id, d.amount_cents, 'platform:payments', 'topup', t.id, 'Top-up');
  update top_ups set status = 'paid', amount_cents = d.amount_cents, session_id = d.session_id, payment_id = d.payment_id,
      transaction_id = transfer, checkout_url = null, next_call_at = null, settled_at = clock_timestamp()
    where id = t.id returning * into t;
  update differing_payments set status = 'taken', transaction_id = transfer, decided_at = clock_timestamp() where id = d.id;
  perform audit_payment(t.operator_id, 'top_up.paid', t.id, jsonb_build_object('transaction_id', transfer, 'amount_cents', t.amount_cents),
    p_request);
  perform apply_earlier_reports(t);
  return row('taken', t.operator_id, 'top-up:' || t.id)::payment_effect;
end $$;
