-- Ends an attempt and counts what came of it; a verdict counts once an event. What ends while a model is still to be asked is asked of none. The
-- caller holds the row.
create function end_inbound_event(v inbound_events, p_status text, p_reason text, p_error text) returns void language plpgsql as $$
begin
  update inbound_events set status = p_status, reason = p_reason, error = p_error, ended_at = clock_timestamp(),
      counted = counted or verdict is not null, classification = case classification when 'wanted' then 'none' else classification end
    where id = v.id and attempt = v.attempt and ended_at is null;
  if not found then return; end if;
  update inbound_counters set
      clean = clean + (v.verdict = 'clean' and not v.counted)::int,
      suspicious = suspicious + (v.verdict = 'suspicious' and not v.counted)::int,
      malicious = malicious + (v.verdict = 'malicious' and not v.counted)::int,
      forwarded = forwarded + (p_status = 'forwarded')::int,
      blocked = blocked + (p_status = 'blocked')::int,
      forward_failed = forward_failed + (p_status in ('forward_failed', 'forward_blocked'))::int
    where endpoint_id = v.endpoint_id and (v.verdict is not null or p_status = 'forwarded');
  if p_status = 'blocked' and is_event_wanted(v.operator_id, 'inbound.blocked') then
    perform record_service_event(v.operator_id, 'inbound.blocked', case v.severity when 'critical' then 'critical' else 'warning' end,
      json_build_object('event_id', v.id, 'endpoint_id', v.endpoint_id, 'agent_id', v.agent_id, 'verdict', v.verdict, 'severity', v.severity,
        'detectors', (select coalesce(json_agg(distinct x ->> 'detector_key'), '[]') from jsonb_array_elements(v.findings) x)));
  end if;
end $$;
