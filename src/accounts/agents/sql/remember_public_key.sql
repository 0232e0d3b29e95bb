-- Keeps that the agent has this public key: what binds it later binds the key too (decision A30). An agent has had 1,000 at most, a new one
-- each day for almost three years, so that a block, which bars them all, stays a short statement.
create function remember_public_key(p_operator text, p_agent text, p_thumbprint text) returns void language plpgsql as $$
begin
  insert into agent_public_keys (agent_id, operator_id, key_thumbprint) values (p_agent, p_operator, p_thumbprint)
    on conflict (agent_id, key_thumbprint) do nothing;
  if found and (select count(*) from agent_public_keys where agent_id = p_agent) > 1000 then
    perform refuse('INVALID_STATE', format('The agent %s has had 1,000 public keys, and no more are taken; register another agent.', p_agent));
  end if;
end $$;
