-- Messages for lives that are due and wait for their delivery, `p_all` at most, since when the oldest of them is due, and whose `p_own` or more of
-- them are.
create function backlog_of_lives(p_all int, p_own int, out ready int, out oldest_seconds double precision, out owners text[])
language sql stable as $$
  with due as materialized (
    select owner, due_at from lives where ready and due_at <= statement_timestamp() limit p_all
  )
  select count(*)::int, coalesce(extract(epoch from clock_timestamp() - min(due_at)), 0)::double precision,
    array(select owner from due group by owner having count(*) >= p_own)
  from due;
$$;
