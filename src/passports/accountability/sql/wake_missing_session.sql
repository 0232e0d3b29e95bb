-- Wakes the life of a session, if it is missing and no message waits for it already, and says when to look at the session again: in
-- a minute at most where the life is missing, otherwise at `p_next`. Nothing is owed where that is null. Returns how many were woken.
create function wake_missing_session(s passport_sessions, p_missing boolean, p_next timestamptz) returns int language plpgsql as $$
declare v_woken int := 0;
begin
  if p_missing and p_next is not null and not exists (select from life_messages where life = 'session:' || s.id) then
    perform wake_life('session:' || s.id, s.operator_id);
    v_woken := 1;
  end if;
  update passport_sessions set life_epoch = case when not p_missing then life_epoch end,
      look_at = case when p_next is not null and p_missing then least(p_next, clock_timestamp() + interval '1 minute') else p_next end
    where id = s.id;
  return v_woken;
end $$;
