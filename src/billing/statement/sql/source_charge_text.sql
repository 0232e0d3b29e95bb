-- The end of a source: what it was charged, its share from p_from to p_to, and for whom and what it was.
create function source_charge_text(
  p_begins bigint, p_microcents bigint, p_from bigint, p_to bigint, p_agent text, p_mission text, p_skill text, p_invocation text, p_step int
) returns text language sql stable as $$
  select ',"charged_microcents":' || p_microcents
    || ',"allocated_microcents":' || least(p_begins + p_microcents, p_to) - greatest(p_begins, p_from)
    || ',"agent":' || coalesce((select '{"id":"' || a.id || '","name":' || to_json(a.name)::text || '}' from agent_names a where a.id = p_agent), 'null')
    || ',"mission":' || coalesce((select '{"id":"' || m.id || '","declared_intent":' || to_json(m.declared_intent)::text || '}'
      from mission_intents m where m.id = p_mission), 'null')
    || ',"skill":' || coalesce((select '{"id":"' || s.id || '","name":' || to_json(s.name)::text || '}' from skill_names s where s.id = p_skill), 'null')
    || ',"invocation":' || coalesce((select '{"id":"' || i.id || '","status":"' || i.status || '"}'
      from invocation_references i where i.id = p_invocation), 'null')
    || ',"sealed_step_index":' || coalesce(p_step::text, 'null') || '}';
$$;
