-- The thumbprint of the public key that an agent has now; null: it has none.
create function key_of_agent(p_agent text) returns text language sql stable as $$
  select key_thumbprint from agent_identities where id = p_agent;
$$;
