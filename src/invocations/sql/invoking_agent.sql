-- The agent that invokes: the one that is named, or the passport's. Null: none.
create function invoking_agent(p_operator text, p_agent text, p_passport text, out id text, out monthly_limit_cents bigint)
language plpgsql as $$
declare holder text := case when p_passport is not null then assert_passport_usable(p_operator, p_passport) end;
begin
  if p_passport is not null and holder is null then
    perform refuse_field('passport_id', 'must be a passport of yours');
  end if;
  if holder <> p_agent then
    perform refuse_field('passport_id', format('belongs to the agent %s, not to %s', holder, p_agent));
  end if;
  if p_agent is null and holder is null then return; end if;
  select a.id, a.monthly_limit_cents into id, monthly_limit_cents
    from agent_to_invoke(p_operator, coalesce(p_agent, holder), case when p_agent is null then 'passport_id' else 'agent_id' end) a;
end $$;
