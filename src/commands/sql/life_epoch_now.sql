-- The epoch of the store that lives are kept in; it is 1 until another store is noticed.
create function life_epoch_now() returns int language sql stable as $$
  select coalesce((select epoch from life_store), 1);
$$;
