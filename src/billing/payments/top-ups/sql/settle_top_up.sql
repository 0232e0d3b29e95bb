-- Records the outcome of a checkout of a top-up, from a webhook or read from the provider; any order, any number of times. Credits once,
-- and only the sum that was requested. The status before does not matter: money that came in is the operator's.
create function settle_top_up(
  p_top_up text, p_outcome text, p_session text, p_amount bigint, p_currency text, p_payment text, p_request text
) returns payment_effect language plpgsql as $$
declare t top_ups; transfer text;
begin
  perform lock_payment(p_payment);
  select * into t from top_ups where id = p_top_up for no key update;
  if not found then return row('unknown', null, null)::payment_effect; end if;
  if p_session <> t.session_id or exists (
      select from top_ups where id <> t.id and (session_id = p_session or (p_outcome = 'paid' and payment_id = p_payment))) then
    return record_differing_payment(t, 'session', p_outcome, p_session, p_amount, p_currency, p_payment, p_request);
  end if;
  if t.status = 'paid' then return row('repeated', t.operator_id, null)::payment_effect; end if;
  if p_outcome = 'paid' then
    if p_amount is distinct from t.amount_cents or p_currency is distinct from 'usd' or p_payment is null then
      return record_differing_payment(t, 'amount', p_outcome, p_session, p_amount, p_currency, p_payment, p_request);
    end if;
    transfer := credit_wallet(new_prefixed_id('txn'), t.operator_id, t.amount_cents, 'platform:payments', 'topup', t.id, 'Top-up');
    update top_ups set status = 'paid', session_id = p_session, payment_id = p_payment, transaction_id = transfer, checkout_url = null,
        next_call_at = null, settled_at = clock_timestamp()
      where id = t.id returning * into t;
    perform audit_payment(t.operator_id, 'top_up.paid', t.id, jsonb_build_object('transaction_id', transfer, 'amount_cents', t.amount_cents),
      p_request);
    perform apply_earlier_reports(t);
  elsif (p_outcome = 'processing' and t.status in ('opening', 'open', 'expired'))
      or (p_outcome = 'failed' and t.status in ('opening', 'open', 'processing'))
      or (p_outcome = 'expired' and t.status in ('opening', 'open')) then
    update top_ups set status = p_outcome, session_id = p_session, checkout_url = null,
        next_call_at = case when p_outcome = 'processing' then next_check_at(clock_timestamp()) end
      where id = t.id;
    perform audit_payment(t.operator_id, 'top_up.' || p_outcome, t.id, '{}', p_request);
  else
    return row('repeated', t.operator_id, null)::payment_effect;
  end if;
  return row(p_outcome, t.operator_id, 'top-up:' || t.id)::payment_effect;
end $$;
