-- Writes down the outcome of the sending of a code, and wakes the lives of the operator's codes that may be sent now, those first that were
-- requested first. Returns how many.
create function settle_verification(p_code text, p_status text, p_reason text, p_error text) returns int language plpgsql as $$
declare v_operator text;
begin
  select operator_id into v_operator from verification_codes where id = p_code and status = 'sending';
  if not found then return 0; end if;
  perform lock_turns_of_codes(v_operator);
  update verification_codes set status = p_status, reason = p_reason, error = p_error where id = p_code and status = 'sending';
  return (
    select wake_lives(coalesce(array_agg('verification:' || next.id), '{}'), coalesce(array_agg(v_operator), '{}'))
    from (select id from verification_codes where operator_id = v_operator and status = 'waiting'
      order by requested_at limit free_turns_of_codes(v_operator)) next);
end $$;
