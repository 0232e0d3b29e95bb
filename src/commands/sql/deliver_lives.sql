-- Has these lives, which were taken, delivered now. A message keeps its place behind those that are older; from here on it waits for its delivery and is
-- not taken again meanwhile, which `attempts` says. Returns how many rows that are: one a life.
create function deliver_lives(p_lives text[]) returns int language sql as $$
  with free as (
    select id, life from lives where life = any(p_lives) and not ready for update skip locked
  ), due as (
    update lives set ready = true, epoch = null, attempts = greatest(attempts, 1),
        due_at = case when epoch is null then least(created_at + message_delay(), clock_timestamp()) else clock_timestamp() end
    where id = any(array(select min(id) from free group by life))
    returning 1
  ) select count(*)::int from due;
$$;
