-- The charges that overlap the microcents from p_from to p_to in the stream of a meter, oldest first: their JSON joined, null where there are
-- none. p_most: the newest of either kind. The number of all and the sums of their shares are of those too that are not shown. Ids are looked up one by
-- one: joined, whole tables of names would be read.
create function usage_sources_text(
  p_wallet text, p_meter text, p_from bigint, p_to bigint, p_most int, out calls text, out runs text, out of_calls numeric, out of_runs numeric, out total bigint
) language plpgsql stable as $$
declare v_runs bigint;
begin
  select count(*), sum(least(c.begins_microcents + c.microcents, p_to) - greatest(c.begins_microcents, p_from)) into total, of_calls
    from calls_of_debit(p_wallet, p_meter, p_from, p_to) c;
  select count(*), sum(least(c.begins_microcents + c.microcents, p_to) - greatest(c.begins_microcents, p_from)) into v_runs, of_runs
    from runs_of_debit(p_wallet, p_meter, p_from, p_to) c;
  total := total + v_runs;
  select string_agg('{"id":"' || c.id || '","created_at":"' || iso_time(c.created_at)
        || '","operation":' || to_json(c.operation)::text || ',"declared_purpose":' || jcs_text(c.declared_purpose)
        || ',"provider":' || to_json(c.provider)::text || ',"model":' || to_json(c.model)::text
        || ',"prompt_tokens":' || c.prompt_tokens || ',"completion_tokens":' || c.completion_tokens || ',"total_tokens":' || c.total_tokens
        || ',"cached_prompt_tokens":' || coalesce(c.cached_prompt_tokens::text, 'null') || ',"streaming":' || c.streaming::text
        || source_charge_text(c.begins_microcents, c.microcents, p_from, p_to, c.agent_id, c.mission_id, c.skill_id, c.invocation_id, c.sealed_step_index),
        ',' order by c.begins_microcents)
    into calls
    from (select * from calls_of_debit(p_wallet, p_meter, p_from, p_to) order by begins_microcents desc limit p_most) c;
  select string_agg('{"id":"' || c.id || '","created_at":"' || iso_time(c.created_at) || '","duration_ms":' || c.duration_ms
        || ',"declared_purpose":' || jcs_text(c.declared_purpose)
        || source_charge_text(c.begins_microcents, c.microcents, p_from, p_to, c.agent_id, c.mission_id, c.skill_id, c.invocation_id, c.sealed_step_index),
        ',' order by c.begins_microcents)
    into runs
    from (select * from runs_of_debit(p_wallet, p_meter, p_from, p_to) order by begins_microcents desc limit p_most) c;
end $$;
