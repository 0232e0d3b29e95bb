-- Has these lives delivered now. Returns how many rows that are.
create function deliver_lives(p_lives text[]) returns int language sql as $$
  with due as (
    update lives set ready = true, epoch = null, due_at = clock_timestamp()
    where id = any(array(select distinct on (life) id from lives where life = any(p_lives) and not ready order by life, id))
    returning 1
  ) select count(*)::int from due;
$$;
