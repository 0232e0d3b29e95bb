-- Wakes the life of an open row, if it is missing and no message waits for it already, and says when to look at the row again: soon
-- where the life is missing, otherwise when it is late. Returns how many were woken.
create function wake_missing_invocation(i invocations, p_missing boolean) returns int language plpgsql as $$
declare v_woken int := 0;
begin
  if p_missing and not exists (select from life_messages where life = 'invocation:' || i.id) then
    perform wake_life('invocation:' || i.id, i.consumer_operator_id);
    v_woken := 1;
  end if;
  update invocations set life_epoch = case when not p_missing then life_epoch end,
      look_at = case when p_missing then clock_timestamp() + interval '1 minute' else invocation_look_at(i) end
    where id = i.id;
  return v_woken;
end $$;
