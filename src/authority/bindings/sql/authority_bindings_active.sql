-- Picks the ones of these bindings that are active now, for this agent and its current key.
create function authority_bindings_active(p_bindings text[], p_agent text) returns text[] language sql stable as $$
  select coalesce(array_agg(b.id order by array_position(p_bindings, b.id)), '{}')
  from authority_bindings b join agent_identities a on a.id = b.agent_id
  where b.id = any (p_bindings) and b.agent_id = p_agent
    and authority_binding_status(b.revoked_at, b.expires_at, b.key_thumbprint, a.key_thumbprint) = 'active';
$$;
