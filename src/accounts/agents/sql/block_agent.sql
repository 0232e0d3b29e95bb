-- A person decided against the agent (decision A31); only a person lifts it. Whoever calls has the operator's passports exclusively.
create function block_agent(p_operator text, p_agent text) returns void language sql as $$
  update agents set status = 'blocked', updated_at = clock_timestamp()
  where id = p_agent and operator_id = p_operator and status <> 'blocked';
$$;
