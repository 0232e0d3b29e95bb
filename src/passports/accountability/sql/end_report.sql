-- The end of every report, which has ended the passports `p_ended`: the event of the flags raised since `p_flagged`, the audit event, the message for the session's life, and
-- the answer, kept under the Idempotency-Key.
create function end_report(
  l passport_lineages, p_agent_part text, p_actor text, p_key text, p_request text, p_jti text,
  p_flagged bigint, p_ended text[], p_action text, p_detail jsonb, p_answer json
) returns report_answer language plpgsql as $$
begin
  perform record_flag_event(l, p_jti, p_flagged);
  insert into audit_events (operator_id, actor, action, target, detail, request_id)
    values (l.operator_id, p_actor, p_action, p_jti, p_detail, p_request);
  perform wake_life('session:' || l.session_id, l.operator_id);
  perform keep_answer(l.operator_id, p_agent_part, p_key, 201, p_answer::text, '/v1/passports/' || p_jti || '/report');
  return row(false, p_answer::text, 1, p_ended)::report_answer;
end $$;
