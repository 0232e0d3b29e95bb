-- The outcome of a call. One whose outcome is known ends the event with it; a second one changes nothing.
create function settle_inbound_forward(p_forward text, p_status text, p_reason text, p_status_code int, p_error text, p_latency_ms int)
returns void language plpgsql as $$
declare e inbound_endpoints; f inbound_forwards; v inbound_events;
begin
  -- The endpoint comes before the event, as everywhere; nobody waits for it where the call changes nothing there.
  if p_reason = 'timeout' or p_status_code is not null then
    select x.* into e from inbound_endpoints x join inbound_forwards y on y.endpoint_id = x.id
      where y.id = p_forward and y.status = 'sending' and (p_reason = 'timeout' or x.timeouts_in_row > 0) for no key update of x;
  end if;
  update inbound_forwards set status = p_status, reason = p_reason, status_code = p_status_code, error = p_error, latency_ms = p_latency_ms,
      ended_at = clock_timestamp()
    where id = p_forward and status = 'sending' returning * into f;
  if not found then return; end if;
  if e.id is not null then perform note_forward(e, f.started_at, p_status_code is not null, p_reason is not distinct from 'timeout'); end if;
  select * into strict v from inbound_events where id = f.event_id for no key update;
  if v.attempt <> f.attempt then return; end if;
  perform end_inbound_event(v, case p_status when 'forwarded' then 'forwarded' when 'refused' then 'forward_blocked' else 'forward_failed' end,
    p_reason, p_error);
end $$;
