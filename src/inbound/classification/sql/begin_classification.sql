-- Takes an event that wants to be classified for the one call of this attempt, for the first caller. Returns `calling`, `unavailable` where
-- there is no model (`p_most_microcents` is null) or the operator does not cover a call, and null where there is nothing to take.
create function begin_classification(p_event text, p_attempt int, p_call text, p_most_microcents bigint) returns text language plpgsql as $$
declare v_operator text; v_paid boolean;
begin
  select operator_id into v_operator from inbound_events
    where id = p_event and attempt = p_attempt and classification = 'wanted' for no key update;
  if not found then return null; end if;
  v_paid := p_most_microcents is not null
    and begin_classification_call(classification_source(p_event, p_attempt), p_call, v_operator, p_most_microcents);
  update inbound_events set classification = case when v_paid then 'calling' else 'unavailable' end,
      calling_since = case when v_paid then clock_timestamp() end
    where id = p_event;
  return case when v_paid then 'calling' else 'unavailable' end;
end $$;
