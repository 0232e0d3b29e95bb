-- Agents of an operator.
create function count_agents(p_operator text) returns bigint language sql stable as $$
  select count(*) from agents where operator_id = p_operator;
$$;
