-- Wakes open rows whose life saw them last in another store (`note_life_store`), 500 a round: a hundred a second, about what one
-- machine's Temporal starts. Each is found once, since from then on it counts as seen by no life.
create function wake_invocations_of_other_store() returns int language plpgsql as $$
declare i invocations; v_woken int := 0;
begin
  for i in select * from invocations
    where status in ('pending', 'processing') and life_epoch < life_epoch_now()
    order by life_epoch, look_at limit 500 for no key update skip locked
  loop
    v_woken := v_woken + wake_missing_invocation(i, true);
  end loop;
  return v_woken;
end $$;
