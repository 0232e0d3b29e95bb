-- The sources of a debit as the end of its details. Ids are looked up one by one: joined, whole tables of names would be read.
create function debit_sources_text(p_wallet text, p_meter text, p_from_cents bigint, p_cents bigint) returns text language plpgsql stable as $$
declare
  v_from constant bigint := p_from_cents * 1000000;
  v_to constant bigint := (p_from_cents + p_cents) * 1000000;
  v_calls text;
  v_runs text;
  v_of_calls numeric;
  v_of_runs numeric;
begin
  select sum(least(c.begins_microcents + c.microcents, v_to) - greatest(c.begins_microcents, v_from)),
      string_agg('{"id":"' || c.id || '","created_at":"' || iso_time(c.created_at)
        || '","operation":' || to_json(c.operation)::text || ',"declared_purpose":' || jcs_text(c.declared_purpose)
        || ',"provider":' || to_json(c.provider)::text || ',"model":' || to_json(c.model)::text
        || ',"prompt_tokens":' || c.prompt_tokens || ',"completion_tokens":' || c.completion_tokens || ',"total_tokens":' || c.total_tokens
        || ',"cached_prompt_tokens":' || coalesce(c.cached_prompt_tokens::text, 'null') || ',"streaming":' || c.streaming::text
        || ',"allocated_microcents":' || least(c.begins_microcents + c.microcents, v_to) - greatest(c.begins_microcents, v_from)
        || ',"agent":' || coalesce((select '{"id":"' || a.id || '","name":' || to_json(a.name)::text || '}' from agent_names a where a.id = c.agent_id), 'null')
        || ',"mission":' || coalesce((select '{"id":"' || m.id || '","declared_intent":' || to_json(m.declared_intent)::text || '}'
          from mission_intents m where m.id = c.mission_id), 'null')
        || ',"skill":' || coalesce((select '{"id":"' || s.id || '","name":' || to_json(s.name)::text || '}' from skill_names s where s.id = c.skill_id), 'null')
        || ',"invocation":' || coalesce((select '{"id":"' || i.id || '","status":"' || i.status || '"}'
          from invocation_references i where i.id = c.invocation_id), 'null')
        || ',"sealed_step_index":' || coalesce(c.sealed_step_index::text, 'null') || '}', ',' order by c.begins_microcents)
    into v_of_calls, v_calls
    from calls_of_debit(p_wallet, p_meter, v_from, v_to) c;
  select sum(least(c.begins_microcents + c.microcents, v_to) - greatest(c.begins_microcents, v_from)),
      string_agg('{"id":"' || c.id || '","created_at":"' || iso_time(c.created_at) || '","duration_ms":' || c.duration_ms
        || ',"allocated_microcents":' || least(c.begins_microcents + c.microcents, v_to) - greatest(c.begins_microcents, v_from)
        || ',"skill":' || coalesce((select '{"id":"' || s.id || '","name":' || to_json(s.name)::text || '}' from skill_names s where s.id = c.skill_id), 'null')
        || ',"invocation":' || coalesce((select '{"id":"' || i.id || '","status":"' || i.status || '"}'
          from invocation_references i where i.id = c.invocation_id), 'null')
        || ',"sealed_step_index":' || coalesce(c.sealed_step_index::text, 'null') || '}', ',' order by c.begins_microcents)
    into v_of_runs, v_runs
    from runs_of_debit(p_wallet, p_meter, v_from, v_to) c;
  -- Nothing is inferred: a debit is recorded when its sources make up the whole of it.
  return ',"llm_sources":[' || coalesce(v_calls, '') || '],"machine_sources":[' || coalesce(v_runs, '')
    || '],"machine_cost_microcents":' || case when v_calls is null and v_runs is null then 'null' else coalesce(v_of_runs, 0)::text end
    || ',"source_status":"' || case when coalesce(v_of_calls, 0) + coalesce(v_of_runs, 0) = p_cents * 1000000 then 'recorded' else 'not_recorded' end || '"}';
end $$;
