-- Takes lives that are due and nobody has looked at: a run is late or lost, or what was delivered did not arrive. Up to `p_limit` are taken as they are
-- due. Where more are due the owners take turns, a thousand of them at most, those behind `p_after` first, with twenty rows each: one that has very many
-- delays nobody else's deadlines. The caller looks at them, or has them delivered; otherwise they are due again in a quarter of a minute.
-- `last_owner`: to go on behind; null where all that was due is taken, or the walk came to the last owner.
create function take_due_lives(p_limit int, p_after text, out taken text[], out last_owner text) language plpgsql as $$
declare
  v_epoch constant int := life_epoch_now();
  v_now constant timestamptz := clock_timestamp();
  v_ids bigint[];
begin
  v_ids := array(
    select due.id from (
      (select m.id, m.due_at from lives m where not m.ready and m.epoch = v_epoch and m.due_at <= v_now order by m.due_at limit p_limit + 1)
      union all
      (select m.id, m.due_at from lives m where not m.ready and m.epoch is null and m.due_at <= v_now order by m.due_at limit p_limit + 1)
    ) due order by due.due_at limit p_limit + 1);
  if cardinality(v_ids) > p_limit then
    v_ids := '{}';
    last_owner := p_after;
    for v_turn in 1..1000 loop
      select next.owner into last_owner from (
        (select m.owner from lives m where not m.ready and m.epoch = v_epoch and m.owner > last_owner order by m.owner limit 1)
        union all
        (select m.owner from lives m where not m.ready and m.epoch is null and m.owner > last_owner order by m.owner limit 1)
      ) next order by next.owner limit 1;
      exit when not found;
      v_ids := v_ids || array(
        select due.id from (
          (select m.id, m.due_at from lives m where not m.ready and m.epoch = v_epoch and m.owner = last_owner and m.due_at <= v_now
            order by m.due_at limit 20)
          union all
          (select m.id, m.due_at from lives m where not m.ready and m.epoch is null and m.owner = last_owner and m.due_at <= v_now
            order by m.due_at limit 20)
        ) due order by due.due_at limit 20);
      exit when cardinality(v_ids) >= p_limit;
    end loop;
  end if;
  with free as (
    select m.id from lives m where m.id = any(v_ids) and not m.ready and m.due_at <= v_now for update skip locked
  ), had as (
    update lives m set due_at = clock_timestamp() + interval '15 seconds' where m.id = any(array(select free.id from free))
    returning m.life
  ) select coalesce(array_agg(distinct had.life), '{}') into taken from had;
end $$;
