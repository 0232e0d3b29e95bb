-- Records a refund that a webhook reports, of which `p_key` is the key that we requested it under, if we did: ours is found by that key, or by
-- the id that is known of it, where payment and amount are the same: a person may have named another one. Of one that is not ours only its
-- return is recorded. Had the wallet paid it, a person gives it back; one that failed before the wallet heard of it never costs anything: sums
-- of before that moment count it and are not believed. A refund of a second subscription that comes back waits for a person.
create function record_refund(
  p_provider_refund text, p_payment text, p_key text, p_cents bigint, p_status text, p_at timestamptz, p_made_at timestamptz, p_request text
) returns payment_effect language plpgsql as $$
declare known text; named refunds; paid top_ups; charged bigint; v_operator text;
begin
  perform lock_payment(p_payment);
  -- Who settles a refund by hand holds this row, so what they name is known from here on.
  select * into paid from top_ups where payment_id = p_payment for no key update;
  select id into known from refunds r where r.top_up_id = paid.id and refund_key(r.transaction_id, r.attempt) = p_key;
  if not found then
    select * into named from refunds where provider_refund_id = p_provider_refund;
    if named.top_up_id = paid.id and named.amount_cents = coalesce(p_cents, named.amount_cents) then
      known := named.id;
    elsif named.id is not null then
      perform unname_refund(named);
    end if;
  end if;
  if known is not null then return settle_refund(known, p_provider_refund, p_status, p_at, p_made_at, p_request); end if;
  if p_status = 'failed' and p_key like 'give-back:%' then
    select operator_id into v_operator from surplus_subscriptions where p_key = format('give-back:%s:%s', subscription_id, p_payment);
    if found then
      perform raise_billing_alarm('subscription_refund_came_back', p_provider_refund, v_operator, p_cents);
      return row('came_back', v_operator, null)::payment_effect;
    end if;
  end if;
  if p_status <> 'failed' or p_payment is null then return row('not_ours', null, null)::payment_effect; end if;
  charged := outside_refunded(paid);
  perform record_returned_refund(p_provider_refund, p_payment, p_cents, p_at);
  if paid.id is null then return row('not_ours', null, null)::payment_effect; end if;
  perform apply_reversals(paid);
  if outside_refunded(paid) < charged then return row('came_back', paid.operator_id, null)::payment_effect; end if;
  return row('not_ours', null, null)::payment_effect;
end $$;
