-- The claim of a report. A checkout has no chk_ id: its claim names it as the chk_ of the same ULID.
create function issue_report_claim(
  l passport_lineages, p_jti text, p_report text, p_services text[], p_actions double precision, p_delegated text[], p_summary text,
  p_moment timestamptz
) returns text language sql as $$
  select issue_claim('checkpoint_approval', subject_of_passport(p_jti),
    '{"actions_count":' || floor(p_actions)::bigint || ',"checkpoint_id":' || jcs_text('chk_' || split_part(p_report, '_', 2))
      || ',"delegated_to":' || jcs_texts(p_delegated) || ',"has_summary":' || (p_summary is not null)
      || ',"interval_seconds":' || coalesce(floor(l.checkpoint_interval_seconds)::text, 'null') || jcs_mission_member(l)
      || ',"services_used":' || jcs_texts(p_services) || ',"submitted_at":' || floor(extract(epoch from p_moment))
      || ',"submitted_by":' || jcs_text(l.agent_id) || ',"type":"checkpoint_approval"}',
    l.agent_id, only_mission(l), array[l.operator_id], p_jti);
$$;
