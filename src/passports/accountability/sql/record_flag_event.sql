-- One event for the flags raised since `p_after`, with the review that waits for a decision about them, if any. A missed checkout has an event of
-- its own.
create function record_flag_event(l passport_lineages, p_jti text, p_after bigint) returns void language sql as $$
  select record_service_event(l.operator_id, 'passport.flagged', min(severity), json_build_object('jti', p_jti, 'agent_id', l.agent_id,
    'checkout_id', (select id from checkouts where lineage_id = l.id and review_status = 'pending'), 'flags', json_agg(json_build_object('type', type, 'severity', severity, 'message', message) order by id)))
  from passport_flags where lineage_id = l.id and id > p_after and type <> 'missed_checkout'
  having count(*) > 0;
$$;
