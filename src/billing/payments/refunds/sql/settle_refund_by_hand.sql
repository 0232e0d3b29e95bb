-- What became of a pending refund, as a person found out: `succeeded` captures what is held, `failed` gives it back to the wallet. The
-- provider's own word that comes later is believed as after any refund.
create function settle_refund_by_hand(p_refund text, p_status text, p_request text) returns payment_effect language plpgsql as $$
declare effect payment_effect;
begin
  if not exists (select from refunds where id = p_refund) then perform refuse('NOT_FOUND', 'There is no such refund.'); end if;
  effect := settle_refund(p_refund, null, p_status, null, p_request);
  if effect.outcome = 'repeated' then
    perform refuse('INVALID_STATE', format('The refund has %s already.', (select status from refunds where id = p_refund)));
  end if;
  return effect;
end $$;
