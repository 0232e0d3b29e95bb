-- Returns what an invocation that did not complete had promised: to its budgets, then the hold to the wallet.
create function return_held_price(i invocations) returns void language plpgsql as $$
begin
  if i.price_cents = 0 then return; end if;
  if i.agent_id is not null then perform return_agent_spending(i.agent_id, i.price_cents, i.created_at); end if;
  if i.api_key_id is not null then perform return_agent_spending(i.api_key_id, i.price_cents, i.created_at); end if;
  perform release_hold(i.id);
end $$;
