-- Wakes lives that seem to be missing. Which ones do is the caller's rule: rows of its domain that are due, have no message
-- waiting, and were not read by their life for too long (rule 11). `p_owners`: whose turns
-- they take. Returns how many.
create function wake_lives(p_lives text[], p_owners text[]) returns int language sql as $$
  with waking as (
    insert into life_messages (life, owner) select * from unnest(p_lives, p_owners) returning 1
  ) select count(*)::int from waking;
$$;
