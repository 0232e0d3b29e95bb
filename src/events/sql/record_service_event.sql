-- An event that the operator is notified of, in the transaction of what it is about. Returns its id.
create function record_service_event(p_operator text, p_type text, p_severity text, p_payload json) returns text language sql as $$
  insert into service_events (id, operator_id, event_type, severity, payload)
    values (new_prefixed_id('evt'), p_operator, p_type, p_severity, p_payload::text)
    returning id;
$$;
