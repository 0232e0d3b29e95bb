-- The share of a receiver after a call: three timeouts in a row leave it one place; three more, of calls that were begun since, none for a
-- minute, and so after each that follows. A call that began before it shrank says nothing new: eight in parallel hang at one time. An answer
-- gives all places back, a refusal too. `change` names what is new: `slow`, `held` or `recovered`; null: nothing.
create function share_after_call(p_share receiver_share, p_began_at timestamptz, p_answered boolean, p_hung boolean) returns receiver_share
language plpgsql as $$
declare
  v_now constant timestamptz := clock_timestamp();
  v_timeouts constant int := p_share.timeouts_in_row + 1;
begin
  if p_answered then
    return row(0, null, null, case when p_share.slow_since is not null then 'recovered' end)::receiver_share;
  end if;
  if not p_hung or p_began_at < p_share.slow_since then
    return row(p_share.timeouts_in_row, p_share.slow_since, p_share.held_until, null)::receiver_share;
  end if;
  if p_share.slow_since is null then
    return row(v_timeouts, case when v_timeouts >= 3 then v_now end, null, case when v_timeouts >= 3 then 'slow' end)::receiver_share;
  end if;
  if v_timeouts < 6 then return row(v_timeouts, p_share.slow_since, null, null)::receiver_share; end if;
  return row(v_timeouts, p_share.slow_since, v_now + interval '1 minute', case when p_share.held_until is null then 'held' end)::receiver_share;
end $$;
