-- One step of the life of an event: says what it needs. `scan`: nobody has judged it; `classify`: a model
-- is to be asked; `forward`: it may leave, and has a place among the forwards of its operator; `turn`: as many as may be are under way; `calls`:
-- a call was begun, and what comes of it is not written down yet; `ended`; `gone`: there is no such row.
create function advance_inbound(p_event text) returns inbound_step language plpgsql as $$
declare
  v inbound_events; e inbound_endpoints; f inbound_forwards; s inbound_step;
  -- A call takes 20 seconds at most; what is still open after this belongs to a worker that is gone.
  longest constant interval := '40 seconds';
begin
  perform begin_look('inbound:' || p_event);
  -- A revocation, a forward and this step take the endpoint first, then the event.
  select x.* into e from inbound_endpoints x join inbound_events y on y.endpoint_id = x.id where y.id = p_event for share of x;
  if not found then return row('gone', 0, null)::inbound_step; end if;
  select * into strict v from inbound_events where id = p_event for no key update;
  if v.status = 'received' then update inbound_events set status = 'scanning' where id = p_event returning * into v; end if;
  <<look>> begin
    if v.ended_at is not null then s := row('ended', v.attempt, null)::inbound_step; exit look; end if;
    if v.verdict is null then
      if e.revoked_at is not null then
        perform end_inbound_event(v, 'revoked', 'revoked', 'The endpoint was revoked before the event was scanned.');
        s := row('ended', v.attempt, null)::inbound_step; exit look;
      end if;
      s := row('scan', v.attempt, null)::inbound_step; exit look;
    end if;
    select * into f from inbound_forwards where event_id = p_event and attempt = v.attempt;
    if found then
      if f.status = 'sending' and f.started_at > clock_timestamp() - longest then
        s := row('calls', v.attempt, ms_until(f.started_at + longest))::inbound_step; exit look;
      end if;
      if f.status = 'sending' then
        perform settle_inbound_forward(f.id, 'unknown', 'interrupted', null, 'The service was interrupted during the call; the receiver may have taken it.', null);
      end if;
      s := row('ended', v.attempt, null)::inbound_step; exit look;
    end if;
    if v.classification = 'calling' then
      if v.calling_since > clock_timestamp() - longest then
        s := row('calls', v.attempt, ms_until(v.calling_since + longest))::inbound_step; exit look;
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
    elsif v.classification = 'wanted' and not has_classification_turn(v.operator_id) then
      s := row('turn', v.attempt, 1000)::inbound_step; exit look;
    elsif v.classification = 'wanted' then
      s := row('classify', v.attempt, null)::inbound_step; exit look;
    else
      if has_forward_turn(e) then s := row('forward', v.attempt, null)::inbound_step; exit look; end if;
      s := row('turn', v.attempt,
        case when e.held_until > clock_timestamp() then ms_until(e.held_until) when e.slow_since is not null then 10000 else 1000 end)::inbound_step;
      exit look;
    end if;
    s := row('ended', v.attempt, null)::inbound_step;
  end look;
  -- The next step takes less than a minute, and so long is an endpoint held.
  if s.status <> 'ended' then
    perform look_again('inbound:' || p_event, v.operator_id, clock_timestamp() + interval '70 seconds');
  end if;
  return s;
end $$;
