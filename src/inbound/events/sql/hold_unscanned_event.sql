-- Ends an attempt of which nothing was scanned as `blocked`, regardless of the mode of the endpoint: no delivery begins another. Its verdict is
-- recorded before, in the same transaction.
create function hold_unscanned_event(p_event text, p_attempt int, p_error text) returns void language plpgsql as $$
declare v inbound_events;
begin
  select * into v from inbound_events where id = p_event and attempt = p_attempt and ended_at is null for no key update;
  if found then perform end_inbound_event(v, 'blocked', 'unscanned', p_error); end if;
end $$;
