-- Delegates from a passport whose signature is good: a lineage of its own below the parent's. `p_ttl_seconds` null: as long as
-- the parent's, p_standard_seconds at most. p_parent_digest: SHA-256 in base64 of the payload that was composed from; where the row
-- has another, the token was never issued. No agent above may be held, blocked or disabled either (decision A30).
create function delegate_passport(
  p_operator text, p_actor text, p_key text, p_fingerprint bytea, p_request text, p_composed composed_passport,
  p_parent text, p_parent_digest text, p_agent text, p_accountability text, p_ttl_seconds int, p_standard_seconds int,
  p_interval double precision, p_budget bigint
) returns passport_answer language plpgsql as $$
declare
  answer passport_answer;
  parent passports;
  above passport_lineages;
  l passport_lineages;
  p passports;
  v_issued bigint;
  v_left bigint;
  v_messages int := 0;
begin
  answer := replay_passport_answer(p_operator, p_key, p_fingerprint);
  if answer.replayed then return answer; end if;
  perform lock_passports_shared(p_operator);
  v_issued := epoch_seconds(clock_timestamp()); -- before what it says and the parent are found to hold: both end in a later second
  perform refuse_stale_composition(p_operator, p_composed);
  perform raise_composed_refusal(p_composed, 'first');
  select * into parent from passports where jti = p_parent and operator_id = p_operator and payload_digest = decode(p_parent_digest, 'base64');
  select * into above from passport_lineages where id = parent.lineage_id;
  perform refuse_withdrawn(parent);
  perform refuse_checked_out(above);
  perform refuse_ended(parent, above);
  perform refuse_agents_bound(p_agent || (above.agent_id || above.agents_above));
  perform refuse_agents_not_active(above.agents_above);
  perform raise_composed_refusal(p_composed, 'last');

  v_left := epoch_seconds(parent.expires_at) - v_issued;
  if p_ttl_seconds > v_left then
    perform refuse('TTL_EXCEEDS_PARENT',
      format('The parent passport is valid for another %s seconds; request at most that, or leave ttl_seconds out.', v_left),
      json_build_object('remaining_seconds', v_left));
  end if;
  insert into passport_lineages (id, session_id, operator_id, agent_id, root_agent_id, parent_lineage_id, depth, agents_above, accountability,
      checkpoint_interval_seconds, intent, mission_ids, started_at, latest_expiry, next_checkpoint_due_at)
    select p_composed.jti, above.session_id, p_operator, p_agent, above.root_agent_id, above.id, above.depth + 1, above.agent_id || above.agents_above,
      held.accountability, held.checkpoint_interval_seconds, above.intent, above.mission_ids, to_timestamp(v_issued),
      to_timestamp(v_issued + coalesce(p_ttl_seconds, least(p_standard_seconds, v_left))),
      case when held.accountability <> 'standard' then to_timestamp(v_issued) + make_interval(secs => held.checkpoint_interval_seconds) end
    from strictest_of_lineages(above.id, p_accountability, p_interval) as held
    returning * into l;
  p := write_passport(l, p_composed, p_parent, null, v_issued, epoch_seconds(l.latest_expiry),
    open_passport_budget(p_composed.jti, p_budget, parent.budgets));
  insert into audit_events (operator_id, actor, action, target, detail, request_id)
    values (p_operator, p_actor, 'passport.delegated', p_composed.jti, jsonb_build_object('agent_id', p_agent, 'parent_jti', p_parent), p_request);
  if l.accountability <> 'standard' then
    perform wake_life('session:' || l.session_id, p_operator);
    v_messages := 1;
  end if;
  if p_key is not null then perform keep_answer(p_operator, '', p_key, 201, p_composed.jti, '/v1/passports/' || p_composed.jti); end if;
  return row(false, p.jti, p.kid, p.payload, p.expires_at, v_messages)::passport_answer;
end $$;
