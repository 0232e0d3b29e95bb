-- What became of a refund of ours. One that succeeded can still fail when the bank sends it back: the wallet gets it again. `p_at`: when that
-- was, by the provider's clock; null where it does not say, and now counts.
create function settle_refund(p_refund text, p_provider_refund text, p_status text, p_at timestamptz, p_request text)
returns payment_effect language plpgsql as $$
declare t top_ups; r refunds; was text;
begin
  select * into t from top_ups where id = (select top_up_id from refunds where id = p_refund) for no key update;
  select * into strict r from refunds where id = p_refund for no key update;
  was := r.status;
  if was = p_status and was <> 'pending' or was = 'failed' or (was = 'succeeded' and p_status <> 'failed') then
    return row('repeated', r.operator_id, null)::payment_effect;
  end if;
  update refunds set status = p_status, provider_refund_id = coalesce(provider_refund_id, p_provider_refund),
      next_call_at = case when p_status = 'pending' then next_check_at(created_at) end,
      settled_at = case when p_status <> 'pending' then clock_timestamp() end
    where id = r.id returning * into r;
  if p_status = 'pending' then return row('pending', r.operator_id, null)::payment_effect; end if;
  if p_status = 'succeeded' then
    perform capture_hold_to(r.id, new_prefixed_id('txn'), 'platform:payments', 'refund', 'Refund of a top-up');
  else
    -- The provider no longer counts what it could not give back; one that it refused was never counted.
    if r.provider_refund_id is not null then
      insert into refunded_payments as p (payment_id, refunded_cents, came_back_at) values (t.payment_id, 0, coalesce(p_at, clock_timestamp()))
        on conflict (payment_id) do update set refunded_cents = greatest(0, p.refunded_cents - r.amount_cents),
          came_back_at = greatest(p.came_back_at, excluded.came_back_at);
    end if;
    if was = 'succeeded' then
      perform credit_wallet(new_prefixed_id('txn'), r.operator_id, r.amount_cents, 'platform:payments', 'adjustment', 'unrefunded:' || r.id,
        'A refund came back');
    else
      perform release_hold(r.id);
    end if;
    perform apply_reversals(t);
  end if;
  perform audit_payment(r.operator_id, 'refund.' || p_status, r.id,
    jsonb_build_object('transaction_id', r.transaction_id, 'amount_cents', r.amount_cents), p_request);
  return row(p_status, r.operator_id, 'refund:' || r.id)::payment_effect;
end $$;
