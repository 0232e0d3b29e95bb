-- A message for each of these lives. `p_owners`: whose turns their delivery takes. `p_due`: from when on each may be delivered; after
-- message_delay() unless given. Returns how many.
create function wake_lives(p_lives text[], p_owners text[], p_due timestamptz[] default '{}') returns int language sql as $$
  with waking as (
    insert into lives (life, owner, due_at)
      select life, owner, coalesce(due, clock_timestamp() + message_delay())
      from unnest(p_lives, p_owners, p_due) as wanted (life, owner, due)
    returning 1
  ) select count(*)::int from waking;
$$;
