-- Lives whose last look was in another store of lives, and which may be gone there: each is due again within as long as Temporal needs to be given
-- them all, a hundred a second, or when its row says. `p_limit` at a time. Returns how many.
create function adopt_lives(p_limit int) returns int language sql as $$
  with other as (
    select id from lives where not ready and epoch < life_epoch_now() order by epoch, due_at limit p_limit for update skip locked
  ), adopted as (
    update lives set epoch = life_epoch_now(),
        due_at = least(due_at, clock_timestamp() + random() * (select open_lives from life_store) * interval '10 milliseconds')
    where id = any(array(select id from other))
    returning 1
  ) select count(*)::int from adopted;
$$;
