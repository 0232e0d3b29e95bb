-- One step of the life of an event: deletes the messages that woke it, and says what it needs. `scan`: nobody has judged it; `classify`: a model
-- is to be asked; `forward`: it may leave, and has a place among the forwards of its operator; `turn`: as many as may be are under way; `calls`:
-- a call was begun, and what comes of it is not written down yet; `ended`; `gone`: there is no such row.
create function advance_inbound(p_event text) returns inbound_step language plpgsql as $$
declare
  v inbound_events; e inbound_endpoints; f inbound_forwards;
  -- A call takes 20 seconds at most; what is still open after this belongs to a worker that is gone.
  longest constant interval := '40 seconds';
begin
  delete from life_messages where life = 'inbound:' || p_event;
  -- A revocation, a forward and this step take the endpoint first, then the event.
  select x.* into e from inbound_endpoints x join inbound_events y on y.endpoint_id = x.id where y.id = p_event for share of x;
  if not found then return row('gone', 0, null)::inbound_step; end if;
  update inbound_events set life_seen_at = clock_timestamp(), status = case status when 'received' then 'scanning' else status end
    where id = p_event returning * into v;
  if v.ended_at is not null then return row('ended', v.attempt, null)::inbound_step; end if;
  if v.verdict is null then
    if e.revoked_at is not null then
      perform end_inbound_event(v, 'revoked', 'revoked', 'The endpoint was revoked before the event was scanned.');
      return row('ended', v.attempt, null)::inbound_step;
    end if;
    return row('scan', v.attempt, null)::inbound_step;
  end if;
  select * into f from inbound_forwards where event_id = p_event and attempt = v.attempt;
  if found then
    if f.status = 'sending' and f.started_at > clock_timestamp() - longest then
      return row('calls', v.attempt, ms_until(f.started_at + longest))::inbound_step;
    end if;
    if f.status = 'sending' then
      perform settle_inbound_forward(f.id, 'unknown', 'interrupted', null, 'The service was interrupted during the call; the receiver may have taken it.', null);
    end if;
    return row('ended', v.attempt, null)::inbound_step;
  end if;
  if v.classification = 'calling' then
    if v.calling_since > clock_timestamp() - longest then
      return row('calls', v.attempt, ms_until(v.calling_since + longest))::inbound_step;
    end if;
    perform settle_classification(v.id, v.attempt, 'failed', 'The model that was to judge this did not.', null);
    select * into strict v from inbound_events where id = p_event;
  end if;
  if e.revoked_at is not null then
    perform end_inbound_event(v, 'revoked', 'revoked', 'The endpoint was revoked before the event was forwarded.');
  elsif e.forward_url is null then
    perform end_inbound_event(v, 'recorded', 'no_forward_url', null);
  elsif is_inbound_held(e, v) and inbound_rank(v.severity) >= inbound_rank(e.block_at) then
    perform end_inbound_event(v, 'blocked', 'policy', format('It is %s, and the endpoint forwards nothing that is %s or worse.', v.severity, e.block_at));
  elsif is_inbound_held(e, v) then
    perform end_inbound_event(v, 'blocked', 'unscanned', 'A part of it was not scanned, and what is not scanned is not forwarded.');
  elsif not is_agent_active(v.agent_id) then
    perform end_inbound_event(v, 'recorded', 'agent_blocked', 'The agent is blocked, disabled, or its operator is suspended.');
  elsif v.classification = 'wanted' then
    return row('classify', v.attempt, null)::inbound_step;
  else
    if has_forward_turn(v.operator_id, e.id) then return row('forward', v.attempt, null)::inbound_step; end if;
    return row('turn', v.attempt, 1000)::inbound_step;
  end if;
  return row('ended', v.attempt, null)::inbound_step;
end $$;
