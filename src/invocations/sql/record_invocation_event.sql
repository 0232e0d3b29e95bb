-- The event of the outcome of an invocation, for the sides of it that have a rule for it. Nearly always nobody has: then it costs one look
-- at an index.
create function record_invocation_event(i invocations, p_type text) returns void language plpgsql as $$
declare v_operator text;
begin
  for v_operator in select operator_id from wanted_events
    where operator_id in (i.consumer_operator_id, i.provider_operator_id) and event_type = p_type
  loop
    perform record_service_event(v_operator, p_type,
      case when p_type in ('invocation.failed', 'invocation.expired') then 'warning' else 'info' end,
      json_build_object('invocation_id', i.id, 'skill_id', i.skill_id, 'skill_version', i.skill_version, 'status', i.status,
        'consumer_operator_id', i.consumer_operator_id, 'provider_operator_id', i.provider_operator_id, 'agent_id', i.agent_id));
  end loop;
end $$;
