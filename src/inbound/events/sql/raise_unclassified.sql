-- What a model was to judge and did not: nobody knows what it is, so it counts as high. The caller holds the row.
create function raise_unclassified(v inbound_events) returns void language sql as $$
  update inbound_events set classification = 'failed', verdict = 'malicious', severity = 'high',
      findings = findings || jsonb_build_array(jsonb_build_object('detector_key', 'unscanned', 'severity', 'high', 'place', '',
        'span', jsonb_build_object('start', 0, 'end', 0), 'reason', 'The model that was to judge this did not.'))
    where id = v.id and attempt = v.attempt;
$$;
