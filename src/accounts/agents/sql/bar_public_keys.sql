-- Bars every public key that an agent has or had while it is blocked (decision A30), and no longer.
create function bar_public_keys(p_agent text, p_barred boolean) returns void language sql as $$
  update agent_public_keys set barred = p_barred where agent_id = p_agent;
$$;
