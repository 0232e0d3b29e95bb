-- Gives cents that an invocation had promised back to the budgets that it counts against.
create function return_budgets(i invocations, p_cents bigint) returns void language plpgsql as $$
begin
  if i.price_cents + i.compute_bound_cents = 0 then return; end if;
  if i.agent_id is not null then perform return_agent_spending(i.agent_id, p_cents, i.created_at); end if;
  if i.api_key_id is not null then perform return_agent_spending(i.api_key_id, p_cents, i.created_at); end if;
  if i.budgets is not null then perform return_passport_spending(i.budgets, p_cents); end if;
end $$;
