-- What the provider says of a refund of ours, or a person in its place. `p_at`: since when that is so, and `p_made_at`: when the provider made
-- it, by its clock; null where it does not say. One that succeeded can still fail when the bank sends it back: the wallet gets it again. One
-- that a person released, or the provider refused, can have been paid after all: the wallet pays it then, with its own amount.
-- Without `p_provider_refund` it is an answer to the request, which says nothing of a refund that was settled meanwhile.
create function settle_refund(
  p_refund text, p_provider_refund text, p_status text, p_at timestamptz, p_made_at timestamptz, p_request text
) returns payment_effect language plpgsql as $$
declare t top_ups; r refunds; was text; charged bigint; is_over boolean;
begin
  select * into t from top_ups where id = (select top_up_id from refunds where id = p_refund) for no key update;
  select * into strict r from refunds where id = p_refund for no key update;
  was := r.status;
  if was <> 'pending' and p_provider_refund is null then return row('repeated', r.operator_id, null)::payment_effect; end if;
  charged := outside_refunded(t);
  if p_provider_refund is not null then
    r := name_refund(r, p_provider_refund, p_made_at);
    -- The provider counted it until then; one that it refused was never counted.
    if p_status = 'failed' then perform record_returned_refund(p_provider_refund, t.payment_id, r.amount_cents, p_at); end if;
  end if;
  if was = 'failed' then return report_released_refund(t, r, p_status, charged, p_request); end if;
  is_over := p_status = 'failed' or (p_status = 'succeeded' and was = 'pending');
  if is_over or was = 'pending' then
    update refunds set status = p_status,
        next_call_at = case when p_status = 'pending' then next_check_at(created_at) end,
        settled_at = case when p_status <> 'pending' then clock_timestamp() end
      where id = r.id returning * into r;
  end if;
  if is_over and p_status = 'succeeded' then
    perform capture_hold_to(r.id, new_prefixed_id('txn'), 'platform:payments', 'refund', 'Refund of a top-up');
  elsif is_over and was = 'succeeded' then
    perform credit_wallet(new_prefixed_id('txn'), r.operator_id, r.amount_cents, 'platform:payments', 'adjustment', 'unrefunded:' || r.id,
      'A refund came back');
  elsif is_over then
    perform release_hold(r.id);
  end if;
  perform apply_reversals(t);
  if not is_over then
    return row(case was when 'pending' then 'pending' else 'repeated' end, r.operator_id, null)::payment_effect;
  end if;
  perform audit_payment(r.operator_id, 'refund.' || p_status, r.id,
    jsonb_build_object('transaction_id', r.transaction_id, 'amount_cents', r.amount_cents), p_request);
  return row(p_status, r.operator_id, 'refund:' || r.id)::payment_effect;
end $$;
