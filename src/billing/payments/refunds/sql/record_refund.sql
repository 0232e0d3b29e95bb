-- Records the outcome of a refund that a webhook reports, of which `p_key` is the key that we requested it under, if we did. One whose id we do
-- not know yet may be the one that is being requested right now, or one that a person settled meanwhile. One that was not ours and failed
-- after the wallet has paid it is for a person to give back, as is one that a person made at the provider and settled here; one that failed
-- before the wallet heard of it never costs anything: sums of before that moment count it and are not believed.
create function record_refund(
  p_provider_refund text, p_payment text, p_key text, p_cents bigint, p_status text, p_at timestamptz, p_request text
) returns payment_effect language plpgsql as $$
declare known text; paid top_ups; r refunds; charged bigint;
begin
  select id into known from refunds where provider_refund_id = p_provider_refund;
  if found then return settle_refund(known, p_provider_refund, p_status, p_at, p_request); end if;
  select * into paid from top_ups where payment_id = p_payment;
  select id into known from refunds
    where top_up_id = paid.id and (by_hand or status = 'succeeded') and provider_refund_id is null
      and refund_key(transaction_id, attempt) = p_key;
  if found then return settle_refund(known, p_provider_refund, p_status, p_at, p_request); end if;
  update refunds set next_call_at = clock_timestamp()
    where status = 'pending' and provider_refund_id is null and top_up_id = paid.id and refund_key(transaction_id, attempt) = p_key
    returning * into r;
  if found then return row('being_requested', r.operator_id, 'refund:' || r.id)::payment_effect; end if;
  if p_status <> 'failed' or p_payment is null then return row('not_ours', null, null)::payment_effect; end if;
  perform lock_payment(p_payment);
  select * into paid from top_ups where payment_id = p_payment for no key update;
  charged := outside_refunded(paid);
  perform record_returned_refund(p_provider_refund, p_payment, p_cents, p_at);
  if paid.id is null then return row('not_ours', null, null)::payment_effect; end if;
  perform apply_reversals(paid);
  if outside_refunded(paid) < charged then return row('came_back', paid.operator_id, null)::payment_effect; end if;
  update refunds set by_hand = false
    where by_hand and status = 'succeeded' and provider_refund_id is null and top_up_id = paid.id
    returning * into r;
  if not found then return row('not_ours', null, null)::payment_effect; end if;
  perform raise_billing_alarm('refund_came_back', r.id, r.operator_id, r.amount_cents);
  return refund_came_back(r, p_request);
end $$;
