-- Takes up to `p_limit` lives that are due and nobody has looked at: a run is late or lost, or what was delivered did not arrive. Owners take turns
-- among the rows that are due longest. The caller looks at them, or has them delivered; otherwise they are due again in a quarter of a minute.
create function take_due_lives(p_limit int) returns setof text language sql as $$
  with due as (
    (select id, owner, due_at from lives where not ready and epoch = life_epoch_now() and due_at <= statement_timestamp()
      order by due_at limit 10 * p_limit)
    union all
    (select id, owner, due_at from lives where not ready and epoch is null and due_at <= statement_timestamp()
      order by due_at limit 10 * p_limit)
  ), turns as (
    select id, due_at, row_number() over (partition by owner order by due_at) as turn from due
  ), free as (
    select id from lives where id = any(array(select id from turns order by turn, due_at limit p_limit))
      and not ready and due_at <= statement_timestamp() for update skip locked
  ), taken as (
    update lives set due_at = clock_timestamp() + interval '15 seconds' where id = any(array(select id from free))
    returning life
  )
  select distinct life from taken;
$$;
