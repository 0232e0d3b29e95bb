-- Records what the scanner found, once an attempt: a second caller changes nothing and gets false. `p_classify`: a model is to be asked
-- where the scanner leaves it undecided.
create function record_inbound_verdict(p_event text, p_attempt int, p_verdict text, p_severity text, p_findings text, p_classify boolean)
returns boolean language plpgsql as $$
begin
  update inbound_events set verdict = p_verdict, severity = p_severity, findings = p_findings::jsonb, scanned_at = clock_timestamp(),
      classification = case when p_classify and p_severity = 'medium' then 'wanted' else 'none' end
    where id = p_event and attempt = p_attempt and status = 'scanning' and verdict is null;
  return found;
end $$;
