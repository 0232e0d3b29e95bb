-- A life that saw its row before this moment was kept in another store, and may be gone.
create function life_store_since() returns timestamptz language sql stable as $$
  select coalesce((select since from life_store), '-infinity');
$$;
