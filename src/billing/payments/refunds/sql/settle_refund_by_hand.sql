-- What became of a pending refund, as a person found out: `succeeded` captures what is held, `failed` gives it back to the wallet. The
-- provider's own word that comes later is believed all the same.
create function settle_refund_by_hand(p_refund text, p_status text, p_request text) returns payment_effect language plpgsql as $$
begin
  if not exists (select from refunds where id = p_refund) then perform refuse('NOT_FOUND', 'There is no such refund.'); end if;
  perform from top_ups where id = (select top_up_id from refunds where id = p_refund) for no key update;
  update refunds set by_hand = true where id = p_refund and status = 'pending';
  if not found then
    perform refuse('INVALID_STATE', format('The refund has %s already.', (select status from refunds where id = p_refund)));
  end if;
  return settle_refund(p_refund, null, p_status, null, p_request);
end $$;
