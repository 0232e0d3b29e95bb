-- What became of a pending refund, as a person found out: `succeeded` captures what is held, `failed` gives it back to the wallet. What was
-- paid has an id at the provider, which the person names where it is not known here (`why_not_settled`). The provider's own word that comes
-- later is believed all the same.
create function settle_refund_by_hand(p_refund text, p_status text, p_provider_refund text, p_request text)
returns payment_effect language plpgsql as $$
declare r refunds; why text;
begin
  if not exists (select from refunds where id = p_refund) then perform refuse('NOT_FOUND', 'There is no such refund.'); end if;
  perform from top_ups where id = (select top_up_id from refunds where id = p_refund) for no key update;
  select * into strict r from refunds where id = p_refund for no key update;
  if r.status <> 'pending' then perform refuse('INVALID_STATE', format('The refund has %s already.', r.status)); end if;
  why := why_not_settled(r, p_status, p_provider_refund);
  if why is not null then perform refuse('INVALID_STATE', format('This refund cannot be settled so: %s.', why)); end if;
  return settle_refund(p_refund, case p_status when 'succeeded' then coalesce(r.provider_refund_id, p_provider_refund) end, p_status, null,
    null, p_request);
end $$;
