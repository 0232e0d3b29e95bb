-- Whether an event that a full queue leaves out is written down: the first of a minute is, and the others are counted at its row. It waits for
-- nobody, so that those who pay at one moment do not wait for each other's commit: while another transaction counts there, or writes the
-- first, an event is left out without being counted. What a test left stands for no event.
create function is_first_left_out(p_destination text) returns boolean language plpgsql as $$
declare
  -- A condition of an index can be a variable, and not what a volatile function returns.
  v_minute_ago constant timestamptz := clock_timestamp() - interval '1 minute';
  v_row text;
begin
  select id into v_row from deliveries
    where destination_id = p_destination and reason = 'queue_full' and event_type <> 'notification.test' and created_at > v_minute_ago
    order by created_at desc limit 1;
  if v_row is null then return pg_try_advisory_xact_lock(1819243887, hashtext(p_destination)); end if;
  update deliveries set left_out = left_out + 1
    where id = (select id from deliveries where id = v_row for no key update skip locked);
  return false;
end $$;
