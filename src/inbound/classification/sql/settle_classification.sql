-- Ends the one call of an attempt: what it cost is recorded (`p_call`; null: no answer came), and what it said counts. An injection raises the
-- event to `high`, and so does a failure: a model that was made to fall silent opens no door. Harmless leaves the verdict as it is. Returns
-- the endpoint; null where the event does not wait for this call any more, and then only the money is settled.
create function settle_classification(p_event text, p_attempt int, p_outcome text, p_reason text, p_call jsonb) returns text language plpgsql as $$
declare v inbound_events;
begin
  select * into v from inbound_events where id = p_event for no key update;
  perform end_classification_call(classification_source(p_event, p_attempt), p_call);
  if v.attempt is distinct from p_attempt or v.classification <> 'calling' then return null; end if;
  update inbound_events set classification = case p_outcome when 'failed' then 'failed' else 'done' end where id = p_event;
  if p_outcome <> 'harmless' then
    update inbound_events set verdict = 'malicious', severity = 'high',
        findings = jsonb_build_array(jsonb_build_object('detector_key', case p_outcome when 'failed' then 'unscanned' else 'instruction_override' end,
          'severity', 'high', 'place', '', 'span', jsonb_build_object('start', 0, 'end', 0), 'reason', p_reason)) || findings
      where id = p_event;
  end if;
  return v.endpoint_id;
end $$;
