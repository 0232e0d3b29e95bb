-- Wakes lives that seem to be missing. Which ones do is the caller's rule: rows of its domain that are due, have no message
-- waiting, and were not read by their life for too long (rule 11). `p_owners`: whose turns
-- they take. `p_due`: from when on each may be delivered; after message_delay() unless given. Returns how many.
create function wake_lives(p_lives text[], p_owners text[], p_due timestamptz[] default '{}') returns int language sql as $$
  with waking as (
    insert into life_messages (life, owner, next_attempt_at)
      select life, owner, coalesce(due, clock_timestamp() + message_delay())
      from unnest(p_lives, p_owners, p_due) as wanted (life, owner, due)
    returning 1
  ) select count(*)::int from waking;
$$;
