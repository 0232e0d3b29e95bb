-- A message for a life (Temporal workflow): delivered after the commit, it only makes the life read its row.
create function wake_life(p_life text) returns void language sql as $$
  insert into life_messages (life) values (p_life);
$$;
