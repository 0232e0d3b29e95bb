-- The trust a caller has: the highest of the operator's own claims and, where an agent is named, that agent's;
-- revoked and expired ones do not count. 0 to 3.
create function trust_level_of(p_operator text, p_agent text) returns int language sql stable parallel safe as $$
  select coalesce(max(assurance_rank(assurance_level)), 0) from identity_claims
  where operator_id = p_operator and (agent_id is null or agent_id = p_agent)
    and revoked_at is null and (expires_at is null or expires_at > now());
$$;
