-- Begins to send a code: the caller that gets true makes the one call there is. False: it was begun before, is not to be sent any more, or waits for
-- its turn.
create function start_verification(p_code text) returns boolean language plpgsql as $$
declare v_operator text;
begin
  select operator_id into v_operator from verification_codes where id = p_code;
  if not found then return false; end if;
  perform lock_turns_of_codes(v_operator);
  if free_turns_of_codes(v_operator) = 0 then return false; end if;
  update verification_codes set status = 'sending', started_at = clock_timestamp(), sealed = null
    where id = p_code and status = 'waiting' and expires_at > clock_timestamp();
  return found;
end $$;
