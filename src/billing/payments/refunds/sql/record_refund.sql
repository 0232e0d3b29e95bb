-- Records a refund that a webhook reports, of which `p_key` is the key that we requested it under, if we did: ours is found by that key, or by
-- the id that is known of it. Of one that is not ours only its return is recorded. Had the wallet paid it, a person gives it back; one that
-- failed before the wallet heard of it never costs anything: sums of before that moment count it and are not believed.
create function record_refund(
  p_provider_refund text, p_payment text, p_key text, p_cents bigint, p_status text, p_at timestamptz, p_made_at timestamptz, p_request text
) returns payment_effect language plpgsql as $$
declare known text; paid top_ups; charged bigint;
begin
  select r.id into known from top_ups t join refunds r on r.top_up_id = t.id
    where t.payment_id = p_payment and refund_key(r.transaction_id, r.attempt) = p_key;
  if not found then select id into known from refunds where provider_refund_id = p_provider_refund; end if;
  if found then return settle_refund(known, p_provider_refund, p_status, p_at, p_made_at, p_request); end if;
  if p_status <> 'failed' or p_payment is null then return row('not_ours', null, null)::payment_effect; end if;
  perform lock_payment(p_payment);
  select * into paid from top_ups where payment_id = p_payment for no key update;
  charged := outside_refunded(paid);
  perform record_returned_refund(p_provider_refund, p_payment, p_cents, p_at);
  if paid.id is null then return row('not_ours', null, null)::payment_effect; end if;
  perform apply_reversals(paid);
  if outside_refunded(paid) < charged then return row('came_back', paid.operator_id, null)::payment_effect; end if;
  return row('not_ours', null, null)::payment_effect;
end $$;
