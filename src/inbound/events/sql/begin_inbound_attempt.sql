-- Another attempt of an event that has ended: it is scanned again, and may be forwarded once more. What a person has marked as harmless stays
-- marked. The caller holds the row.
create function begin_inbound_attempt(p_event text) returns void language sql as $$
  update inbound_events set attempt = attempt + 1, status = 'received', reason = null, error = null, verdict = null, severity = null,
      findings = null, classification = 'none', attempted_at = clock_timestamp(), scanned_at = null, ended_at = null
    where id = p_event;
$$;
