-- Whether an agent may be sent anything: it is active and not retired, and its operator is active.
create function is_agent_active(p_agent text) returns boolean language sql stable as $$
  select a.status = 'active' and a.retired_at is null and not o.suspended from agents a join operator_standings o using (operator_id) where a.id = p_agent;
$$;
