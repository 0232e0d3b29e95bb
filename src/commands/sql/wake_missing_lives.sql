-- Wakes those of these lives that have no message waiting. `p_owners`: whose turns they take. `looked`: how many were given.
create function wake_missing_lives(p_lives text[], p_owners text[], out looked int, out woken int) language sql as $$
  select coalesce(cardinality(p_lives), 0), wake_lives(coalesce(array_agg(life), '{}'), coalesce(array_agg(owner), '{}'))
  from unnest(p_lives, p_owners) as given (life, owner)
  where not exists (select from life_messages m where m.life = given.life);
$$;
