-- A review that holds its agent holds every public key that the agent has or had; any other holds none (decision A30). Keys that it holds
-- already stay held, also those that the agent no longer has.
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
