-- Returns the facts that a passport is signed from, with the end of what ends by itself. Scopes and
-- allow_data_from are what they mean now: '*' expanded, and no scope that the connection has lost. Missions are
-- only named, so they are checked when the passport is written. Accountability is what the agent is held to, with all that have or had a key
-- of it. Null where the agent is not this operator's.
create function passport_facts_now(p_operator text, p_agent text) returns json language sql stable as $$
  with agent as (
    select * from agent_identities where id = p_agent and operator_id = p_operator
  ), granted as (
    select g.*, c.service_id, c.service_name, c.scopes as connection_scopes, c.credential_ref
    from grants g join service_connections c on c.id = g.connection_id
    where g.agent_id = (select id from agent) and c.status = 'active'
  ), attested as (
    select * from identity_claims
    where operator_id = p_operator and (agent_id is null or agent_id = p_agent)
      and revoked_at is null and not has_ended(expires_at)
  ), bound as (
    select b.* from authority_bindings b join agent a on a.id = b.agent_id
    where authority_binding_status(b.revoked_at, b.expires_at, b.key_thumbprint, a.key_thumbprint) = 'active' and not has_ended(b.expires_at)
  )
  select json_build_object(
    'operator_status', a.operator_status,
    'agent', json_build_object('id', a.id, 'name', a.name, 'status', a.status, 'accountability', held.accountability,
      'checkpoint_interval_seconds', held.checkpoint_interval_seconds, 'key_thumbprint', a.key_thumbprint),
    'grants', (select coalesce(json_agg(json_build_object(
        'connection_id', connection_id, 'service_id', service_id, 'service_name', service_name,
        'connection_scopes', connection_scopes,
        'scopes', (select coalesce(json_agg(scope order by at), '[]') from unnest(connection_scopes) with ordinality as s (scope, at)
          where '*' = any (scopes) or scope = any (scopes)),
        'credential_ref', credential_ref, 'constraints', constraints,
        'allow_data_from', (select coalesce(json_agg(name order by name collate "C"), '[]') from (
          select unnest(array_remove(allow_data_from, '*')) as name
          union select service_name from granted o where '*' = any (g.allow_data_from)
            and connection_scopes <> '{}' and ('*' = any (o.scopes) or o.scopes && connection_scopes)) as sources)
      ) order by connection_id), '[]') from granted g),
    'identity_claims', (select coalesce(json_agg(json_build_object(
        'claim_id', id, 'provider', provider, 'layer', layer, 'claim_type', claim_type, 'assurance_level', assurance_level,
        'verified_at', epoch_seconds(verified_at), 'expires_at', epoch_seconds(expires_at),
        'humanity_verified', humanity_verified, 'agent_id', agent_id, 'inherit', inherit
      ) order by id), '[]') from attested),
    'authority_bindings', (select coalesce(json_agg(json_build_object(
        'binding_id', id, 'binding_version', binding_version, 'binding_claim_id', claim_id, 'binding_digest', binding_digest,
        'receiver_id', receiver_id, 'receiver_profile_version_id', receiver_profile_version_id,
        'expires_at', epoch_seconds(expires_at)
      ) order by id), '[]') from bound))
  from agent a, accountability_of_agent(a.id) as held;
$$;
