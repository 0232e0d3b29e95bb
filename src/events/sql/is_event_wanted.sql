-- Whether an operator's rules name an event type that is not written for everybody.
create function is_event_wanted(p_operator text, p_type text) returns boolean language sql stable as $$
  select exists (select from wanted_event_types where operator_id = p_operator and event_type = p_type);
$$;
