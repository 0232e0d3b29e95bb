-- The provider refused to make a refund of ours, and its list, read after that, has none: the wallet gets back what was held. Returns whether
-- it was done.
create function release_refused_refund(p_refund text) returns boolean language plpgsql as $$
declare t top_ups; r refunds;
begin
  select * into strict t from top_ups where id = (select top_up_id from refunds where id = p_refund) for no key update;
  select * into strict r from refunds where id = p_refund for no key update;
  if r.status <> 'pending' or exists (select from provider_refunds where refund_id = r.id) then return false; end if;
  perform settle_refund(r, 'failed', null);
  perform apply_reversals(t);
  return true;
end $$;
