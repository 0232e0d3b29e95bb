-- An attempt that nothing can come of: the next delivery of the event begins another.
create function fail_inbound_event(p_event text, p_attempt int, p_reason text, p_error text) returns void language plpgsql as $$
declare v inbound_events;
begin
  select * into v from inbound_events where id = p_event and attempt = p_attempt and ended_at is null for no key update;
  if found then perform end_inbound_event(v, 'failed', p_reason, p_error); end if;
end $$;
