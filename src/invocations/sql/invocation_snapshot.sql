-- The invocation as the API shows it, without input and output: those are added from the row for callers who may see them.
create function invocation_snapshot(i invocations) returns text language sql stable as $$
  select json_build_object(
    'id', i.id, 'skill_id', i.skill_id, 'skill_version', i.skill_version, 'skill_revision', i.skill_revision, 'status', i.status,
    'execution_mode', i.execution_mode, 'input_hash', i.input_hash, 'output_hash', i.output_hash, 'error', i.error::json,
    'consumer_operator_id', i.consumer_operator_id, 'provider_operator_id', i.provider_operator_id, 'agent_id', i.agent_id,
    'passport_id', i.passport_id, 'mission_id', i.mission_id, 'price_cents', i.price_cents, 'compute_bound_cents', i.compute_bound_cents, 'compute_cents', i.compute_cents,
    'self_invocation', i.self_invocation, 'trial', i.trial,
    'attempt', i.attempt, 'lease_seconds', i.lease_seconds, 'lease_until', iso_time(i.lease_until), 'created_at', iso_time(i.created_at),
    'claimed_at', iso_time(i.claimed_at), 'completed_at', iso_time(i.completed_at), 'expires_at', iso_time(i.expires_at),
    'contents_purged_at', iso_time(i.contents_purged_at),
    'duration_ms', floor(extract(epoch from i.completed_at - i.claimed_at) * 1000)::bigint)::text;
$$;
