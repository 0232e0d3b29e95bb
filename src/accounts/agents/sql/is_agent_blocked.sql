-- Whether an agent is blocked, until the transaction ends: who unblocks it waits for that.
create function is_agent_blocked(p_agent text) returns boolean language sql as $$
  select status = 'blocked' from agents where id = p_agent for share;
$$;
