-- The public keys that a review which holds its agent holds, for a release before this one that runs beside it; here the keys are looked
-- up when a passport is signed, so that one which the agent gets later is held too (decision A30).
create function hold_keys_of(c checkouts) returns void language plpgsql as $$
begin
  if review_holds(c) then
    insert into held_keys (operator_id, key_thumbprint, checkout_id)
      select operator_id, key_thumbprint, c.id from public_keys where agent_id = c.agent_id
      on conflict do nothing;
  else
    delete from held_keys where checkout_id = c.id;
  end if;
end $$;
