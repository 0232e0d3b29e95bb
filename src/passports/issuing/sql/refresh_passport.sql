-- One more passport of a lineage, clamped to the end of the session and to the latest expiry of the parent's lineage,
-- and once a critical flag is raised to the end that it has: a refresh puts no checkout off (decision A38). Where the agent
-- or a lineage above is held to more by now, the lineage is from here on; it is never held to less, whichever of its passports is refreshed. The lineage is locked, so that no checkout passes unseen. p_from_digest: SHA-256 in base64 of the payload that was
-- composed from; where the row has another, the token was never issued.
create function refresh_passport(
  p_operator text, p_actor text, p_key text, p_fingerprint bytea, p_request text, p_composed composed_passport,
  p_from text, p_from_digest text, p_ttl_seconds int, p_session_seconds int, p_accountability text, p_interval double precision
) returns passport_answer language plpgsql as $$
declare
  answer passport_answer;
  before passports;
  l passport_lineages;
  p passports;
  v_issued bigint;
  v_expires bigint;
  v_messages int := 0;
begin
  answer := replay_passport_answer(p_operator, p_key, p_fingerprint);
  if answer.replayed then return answer; end if;
  perform lock_passports_shared(p_operator);
  select * into before from passports where jti = p_from and operator_id = p_operator and payload_digest = decode(p_from_digest, 'base64');
  select * into l from passport_lineages where id = before.lineage_id for no key update;
  v_issued := epoch_seconds(clock_timestamp()); -- before what it says and the old one are found to hold: both end in a later second
  perform refuse_stale_composition(p_operator, p_composed);
  perform raise_composed_refusal(p_composed, 'first');
  perform refuse_withdrawn(before);
  perform refuse_checked_out(l);
  perform refuse_ended(before, l);
  perform refuse_agents_bound(l.agent_id || l.agents_above);
  perform refuse_agents_not_active(l.agents_above);
  perform raise_composed_refusal(p_composed, 'last');

  perform flag_missed_until(array[l.id], clock_timestamp());
  select least(v_issued + p_ttl_seconds,
      (select epoch_seconds(started_at) + p_session_seconds from passport_sessions where id = l.session_id),
      (select epoch_seconds(latest_expiry) from passport_lineages where id = l.parent_lineage_id),
      case when has_critical_flag(l.id) then epoch_seconds(l.latest_expiry) end), held.*
    into v_expires, l.accountability, l.checkpoint_interval_seconds
    from strictest_of_lineages(l.id, p_accountability, p_interval) as held;
  -- Where the setting was lowered, a session may be older than sessions become now.
  if v_expires <= v_issued then
    perform refuse('PASSPORT_EXPIRED', 'The session has lasted as long as sessions may; issue a new passport.');
  end if;
  update passport_lineages as x set latest_expiry = greatest(x.latest_expiry, to_timestamp(v_expires)), accountability = l.accountability,
      checkpoint_interval_seconds = l.checkpoint_interval_seconds,
      next_checkpoint_due_at = case when l.accountability <> 'standard' then least(x.next_checkpoint_due_at,
        to_timestamp(v_issued) + make_interval(secs => l.checkpoint_interval_seconds)) end
    where x.id = l.id and (x.latest_expiry < to_timestamp(v_expires) or x.accountability <> l.accountability
      or x.checkpoint_interval_seconds is distinct from l.checkpoint_interval_seconds);
  p := write_passport(l, p_composed, before.parent_jti, p_from, v_issued, v_expires, before.budgets);
  insert into audit_events (operator_id, actor, action, target, detail, request_id)
    values (p_operator, p_actor, 'passport.refreshed', p_composed.jti, jsonb_build_object('refreshed_from', p_from), p_request);
  if l.accountability <> 'standard' then
    perform wake_life('session:' || l.session_id, p_operator);
    v_messages := 1;
  end if;
  if p_key is not null then perform keep_answer(p_operator, '', p_key, 201, p_composed.jti, '/v1/passports/' || p_composed.jti); end if;
  return row(false, p.jti, p.kid, p.payload, p.expires_at, v_messages)::passport_answer;
end $$;
