-- Settles a refund of ours by what the provider's list says, its refusal, or a person. One that succeeded can still fail, as when the bank
-- sends it back: the wallet gets it again. The caller holds the rows of top-up and refund, and calls `apply_reversals` after it.
create function settle_refund(r refunds, p_status text, p_request text) returns void language plpgsql as $$
begin
  update refunds set status = p_status, next_call_at = null, settled_at = clock_timestamp() where id = r.id;
  if p_status = 'succeeded' then
    perform capture_hold_to(r.id, new_prefixed_id('txn'), 'platform:payments', 'refund', 'Refund of a top-up');
  elsif r.status = 'succeeded' then
    perform credit_wallet(new_prefixed_id('txn'), r.operator_id, r.amount_cents, 'platform:payments', 'adjustment', 'unrefunded:' || r.id,
      'A refund came back');
  else
    perform release_hold(r.id);
  end if;
  if r.status = 'pending' then perform wake_lives(array['refund:' || r.id], array[r.operator_id]); end if;
  perform audit_payment(r.operator_id, 'refund.' || p_status, r.id,
    jsonb_build_object('transaction_id', r.transaction_id, 'amount_cents', r.amount_cents), p_request);
end $$;
