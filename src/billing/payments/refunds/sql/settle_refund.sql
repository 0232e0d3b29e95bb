-- What became of a refund of ours. One that succeeded can still fail when the bank sends it back: the wallet gets it again. `p_at`: when that
-- was, by the provider's clock; null where it does not say, and now counts.
create function settle_refund(p_refund text, p_provider_refund text, p_status text, p_at timestamptz, p_request text)
returns payment_effect language plpgsql as $$
declare t top_ups; r refunds; was text;
begin
  select * into t from top_ups where id = (select top_up_id from refunds where id = p_refund) for no key update;
  select * into strict r from refunds where id = p_refund for no key update;
  was := r.status;
  if r.by_hand and was <> 'pending' then
    -- That the provider refuses a request says nothing of a refund that was settled meanwhile.
    if p_provider_refund is null then return row('repeated', r.operator_id, null)::payment_effect; end if;
    update refunds set provider_refund_id = coalesce(provider_refund_id, p_provider_refund) where id = r.id returning * into r;
    if was = 'failed' then return report_released_refund(t, r, p_status, p_at, p_request); end if;
  end if;
  if p_status = 'failed' and p_provider_refund is not null and (was <> 'failed' or r.provider_refund_id = p_provider_refund) then
    -- The provider no longer counts what it could not give back; one that it refused was never counted, and a person's decision leaves its
    -- sums as they are.
    perform record_returned_refund(p_provider_refund, t.payment_id, r.amount_cents, p_at);
    if was = 'failed' then perform apply_reversals(t); end if;
  end if;
  if was = p_status and was <> 'pending' or was = 'failed' or (was = 'succeeded' and p_status <> 'failed') then
    return row('repeated', r.operator_id, null)::payment_effect;
  end if;
  update refunds set status = p_status, provider_refund_id = coalesce(provider_refund_id, p_provider_refund),
      by_hand = by_hand and was = 'pending',
      next_call_at = case when p_status = 'pending' then next_check_at(created_at) end,
      settled_at = case when p_status <> 'pending' then clock_timestamp() end
    where id = r.id returning * into r;
  if p_status = 'pending' then return row('pending', r.operator_id, null)::payment_effect; end if;
  if p_status = 'succeeded' then
    perform capture_hold_to(r.id, new_prefixed_id('txn'), 'platform:payments', 'refund', 'Refund of a top-up');
  else
    if was = 'succeeded' then
      perform credit_wallet(new_prefixed_id('txn'), r.operator_id, r.amount_cents, 'platform:payments', 'adjustment', 'unrefunded:' || r.id,
        'A refund came back');
      perform end_billing_alarm('refund_came_back', r.id);
    else
      perform release_hold(r.id);
    end if;
    perform apply_reversals(t);
  end if;
  perform audit_payment(r.operator_id, 'refund.' || p_status, r.id,
    jsonb_build_object('transaction_id', r.transaction_id, 'amount_cents', r.amount_cents), p_request);
  return row(p_status, r.operator_id, 'refund:' || r.id)::payment_effect;
end $$;
