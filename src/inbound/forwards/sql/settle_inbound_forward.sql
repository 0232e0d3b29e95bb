-- The outcome of a call. One whose outcome is known ends the event with it; a second one changes nothing.
create function settle_inbound_forward(p_forward text, p_status text, p_reason text, p_status_code int, p_error text, p_latency_ms int)
returns void language plpgsql as $$
declare f inbound_forwards; v inbound_events;
begin
  update inbound_forwards set status = p_status, reason = p_reason, status_code = p_status_code, error = p_error, latency_ms = p_latency_ms,
      ended_at = clock_timestamp()
    where id = p_forward and status = 'sending' returning * into f;
  if not found then return; end if;
  select * into strict v from inbound_events where id = f.event_id for no key update;
  if v.attempt <> f.attempt then return; end if;
  perform end_inbound_event(v, case p_status when 'forwarded' then 'forwarded' when 'refused' then 'forward_blocked' else 'forward_failed' end,
    p_reason, p_error);
end $$;
