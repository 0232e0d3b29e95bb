-- Writes down the outcome of a call, and counts it at the destination: one that is delivered ends the row of failures; the twentieth that the
-- receiver failed, or a later one, disables the destination where the first was twelve hours ago. What was no fault of the receiver changes
-- nothing there, and returns 0 failures. Null: it has ended already, or is gone.
create function settle_delivery(
  p_delivery text, p_status text, p_reason text, p_status_code int, p_error text, p_latency_ms int, p_receivers_fault boolean
) returns settled_delivery language plpgsql as $$
declare v_destination text; v_began_at timestamptz; d destinations; v_disabled boolean := false;
begin
  select destination_id, started_at into v_destination, v_began_at from deliveries where id = p_delivery and status = 'sending';
  if not found then return null; end if;
  select * into d from destinations where id = v_destination and (p_reason = 'timeout' or timeouts_in_row > 0) for no key update;
  if found then perform note_call(d, v_began_at, p_status = 'delivered' or p_status_code is not null, p_reason is not distinct from 'timeout'); end if;
  d := null;
  if p_status = 'delivered' then
    update destinations set failures_in_row = 0, failing_since = null where id = v_destination and failures_in_row > 0;
  elsif p_receivers_fault then
    update destinations set failures_in_row = failures_in_row + 1, failing_since = coalesce(failing_since, clock_timestamp())
      where id = v_destination returning * into d;
    v_disabled := coalesce(
      d.disabled_at is null and d.failures_in_row >= 20 and d.failing_since <= clock_timestamp() - interval '12 hours', false);
    if v_disabled then
      update destinations set disabled_at = clock_timestamp(), disabled_reason = 'failing' where id = v_destination;
    end if;
  end if;
  update deliveries set status = p_status, reason = p_reason, status_code = p_status_code, error = p_error, latency_ms = p_latency_ms,
      ended_at = clock_timestamp()
    where id = p_delivery and status = 'sending';
  return row(coalesce(d.failures_in_row, 0), iso_time(d.failing_since), v_disabled)::settled_delivery;
end $$;
