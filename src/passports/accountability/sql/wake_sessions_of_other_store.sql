-- Wakes sessions in which something is owed and whose life saw them last in another store (`note_life_store`), 500 a round. Each is
-- found once, since from then on it counts as seen by no life.
create function wake_sessions_of_other_store() returns int language plpgsql as $$
declare s passport_sessions; v_woken int := 0;
begin
  for s in select * from passport_sessions
    where look_at is not null and life_epoch < life_epoch_now()
    order by life_epoch, look_at limit 500 for no key update skip locked
  loop
    v_woken := v_woken + wake_missing_session(s, true, s.look_at);
  end loop;
  return v_woken;
end $$;
