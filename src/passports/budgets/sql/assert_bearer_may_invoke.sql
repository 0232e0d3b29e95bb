-- For a passport that is itself the credential of an invocation, in the transaction that holds the money: its operator lets passports
-- invoke, it has a budget, it was not checked out, and neither its agent nor one above is held, blocked or disabled. Whether it was revoked,
-- has expired or lost a binding assert_passport_usable() says.
create function assert_bearer_may_invoke(p_operator text, p_jti text) returns void language plpgsql as $$
declare
  v_budgets text[];
  v_lineage text;
  l passport_lineages;
begin
  select budgets, lineage_id into v_budgets, v_lineage from passports where jti = p_jti and operator_id = p_operator;
  select * into l from passport_lineages where id = v_lineage;
  if l.id is null or v_budgets is null
      or not exists (select from passport_permissions where operator_id = p_operator and passports_may_invoke) then
    perform refuse('AGENT_CREDENTIAL_FORBIDDEN', 'This passport may not invoke: its operator does not let passports invoke, or it has no budget.');
  end if;
  perform refuse_checked_out(l);
  perform refuse_agents_bound(l.agent_id || l.agents_above);
  perform refuse_agents_not_active(l.agents_above);
end $$;
