-- One step of the life that sends a code: gives up a code whose time is over before it was sent, and one
-- whose call has not come back: a call takes ten seconds at most, and whether it arrived is not known then. `gone`: there is no such row;
-- `turn`: eight codes of the operator are being sent, and the end of one of them wakes this life.
create function advance_verification(p_code text) returns verification_step language plpgsql as $$
declare
  v_now constant timestamptz := clock_timestamp();
  longest constant interval := longest_call_of_code();
  c verification_codes; v_until timestamptz;
begin
  perform begin_look('verification:' || p_code);
  update verification_codes set status = 'failed', reason = 'expired', sealed = null
    where id = p_code and status = 'waiting' and expires_at <= v_now;
  update verification_codes set status = 'unknown', reason = 'interrupted', error = 'Whether the code was sent is not known.'
    where id = p_code and status = 'sending' and started_at <= v_now - longest;
  select * into c from verification_codes where id = p_code;
  if not found then return row('gone', false, null)::verification_step; end if;
  perform look_again('verification:' || p_code, c.operator_id,
    case when c.status in ('waiting', 'sending') then least(c.started_at, c.expires_at) + interval '1 minute' end);
  if c.status = 'waiting' and free_turns_of_codes(c.operator_id) = 0 then
    select least(min(started_at) + longest, c.expires_at) into v_until from verification_codes
      where operator_id = c.operator_id and status = 'sending' and started_at > v_now - longest;
    return row('turn', true, ms_until(v_until))::verification_step;
  end if;
  return row(c.status, c.status in ('waiting', 'sending'),
    ms_until(case when c.status = 'sending' then c.started_at + longest else c.expires_at end))::verification_step;
end $$;
