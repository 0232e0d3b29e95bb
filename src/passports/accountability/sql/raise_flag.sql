-- Raises a flag unless it was raised before, with its claim, which vouches for nothing and so outlives a revocation.
-- The caller holds the lineage.
create function raise_flag(
  l passport_lineages, p_jti text, p_type text, p_severity text, p_occasion text, p_message text, p_moment timestamptz
) returns void language plpgsql as $$
begin
  insert into passport_flags (lineage_id, jti, type, severity, occasion, message, raised_at)
    values (l.id, p_jti, p_type, p_severity, p_occasion, p_message, p_moment)
    on conflict on constraint passport_flags_once do nothing;
  if not found then return; end if;
  insert into audit_events (operator_id, actor, action, target, detail)
    values (l.operator_id, 'service', 'passport.flagged', p_jti, jsonb_build_object('type', p_type, 'severity', p_severity));
  perform issue_claim('detector_signal', subject_of_passport(p_jti),
    '{"agent_id":' || jcs_text(l.agent_id) || ',"detected_at":' || floor(extract(epoch from p_moment))
      || ',"detector_key":' || jcs_text(p_type)
      || ',"metadata":{"occasion":' || jcs_text(p_occasion) || ',"session_id":' || jcs_text(l.session_id) || '}' || jcs_mission_member(l)
      || ',"pipeline":"heuristic","severity":' || jcs_text(case p_severity when 'critical' then 'critical' else 'medium' end)
      || ',"type":"detector_signal"}',
    l.agent_id, only_mission(l), array[l.operator_id]);
end $$;
