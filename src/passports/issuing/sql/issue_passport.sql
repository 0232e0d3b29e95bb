-- Issues a passport: its session, its lineage and itself.
create function issue_passport(
  p_operator text, p_actor text, p_key text, p_fingerprint bytea, p_request text, p_composed composed_passport,
  p_session text, p_agent text, p_accountability text, p_ttl_seconds int, p_session_seconds int,
  p_interval double precision, p_intent text, p_missions text[], p_budget bigint
) returns passport_answer language plpgsql as $$
declare
  answer passport_answer;
  l passport_lineages;
  p passports;
  v_issued bigint;
  v_expires bigint;
  v_messages int := 0;
begin
  answer := replay_passport_answer(p_operator, p_key, p_fingerprint);
  if answer.replayed then return answer; end if;
  perform lock_passports_shared(p_operator);
  v_issued := epoch_seconds(clock_timestamp()); -- before what it says is found to hold: that ends in a later second
  perform refuse_stale_composition(p_operator, p_composed);
  perform raise_composed_refusal(p_composed, 'first');
  if p_missions <> '{}' then perform refuse_missions(p_operator, p_agent, p_missions); end if;
  perform refuse_agents_bound(array[p_agent]);
  perform raise_composed_refusal(p_composed, 'last');

  v_expires := v_issued + least(p_ttl_seconds, p_session_seconds);
  insert into passport_sessions (id, operator_id, started_at) values (p_session, p_operator, to_timestamp(v_issued));
  insert into passport_lineages (id, session_id, operator_id, agent_id, root_agent_id, depth, accountability, checkpoint_interval_seconds,
      intent, mission_ids, started_at, latest_expiry, next_checkpoint_due_at)
    values (p_composed.jti, p_session, p_operator, p_agent, p_agent, 0, p_accountability, p_interval,
      p_intent, p_missions, to_timestamp(v_issued), to_timestamp(v_expires),
      case when p_accountability <> 'standard' then to_timestamp(v_issued) + make_interval(secs => p_interval) end)
    returning * into l;
  p := write_passport(l, p_composed, null, null, v_issued, v_expires, open_passport_budget(p_composed.jti, p_budget, null));
  insert into audit_events (operator_id, actor, action, target, detail, request_id)
    values (p_operator, p_actor, 'passport.issued', p_composed.jti, jsonb_build_object('agent_id', p_agent, 'session_id', p_session), p_request);
  if p_accountability <> 'standard' then
    perform wake_life('session:' || p_session, p_operator);
    v_messages := 1;
  end if;
  if p_key is not null then perform keep_answer(p_operator, '', p_key, 201, p_composed.jti, '/v1/passports/' || p_composed.jti); end if;
  return row(false, p.jti, p.kid, p.payload, p.expires_at, v_messages)::passport_answer;
end $$;
