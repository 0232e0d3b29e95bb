-- Records a step among machine runs or model calls, once its id, and charges it. Returns the microcents charged. Refuses INSUFFICIENT_CREDITS.
create function record_sealed_step(i invocations, s sealed_steps, p_price_state text) returns bigint language plpgsql as $$
begin
  if s.kind = 'llm' then
    return record_model_call(s.model_call || jsonb_build_object('id', s.id, 'operator_id', i.consumer_operator_id,
      'price_state', p_price_state, 'cost_microcents', s.cost_microcents,
      'meter', case when p_price_state = 'wallet_price' then case s.key_source when 'platform' then 'sealed_execution' else 'llm_gateway' end end,
      'agent_id', i.agent_id, 'mission_id', i.mission_id, 'passport_id', i.passport_id, 'skill_id', i.skill_id,
      'invocation_id', i.id, 'sealed_step_index', s.step_index));
  end if;
  if p_price_state = 'covered' then return 0; end if;
  return record_machine_run(jsonb_build_object('id', s.id, 'operator_id', i.consumer_operator_id, 'duration_ms', s.duration_ms,
    'agent_id', i.agent_id, 'mission_id', i.mission_id, 'passport_id', i.passport_id, 'skill_id', i.skill_id, 'invocation_id', i.id,
    'sealed_step_index', s.step_index, 'cost_microcents', s.cost_microcents));
end $$;
