-- Whether an agent may be sent anything: it is active, and so is its operator.
create function is_agent_active(p_agent text) returns boolean language sql stable as $$
  select a.status = 'active' and not o.suspended from agents a join operator_standings o using (operator_id) where a.id = p_agent;
$$;
