-- What is due: messages that are to be delivered, the oldest of them, what nobody has looked at, and what Temporal refuses to wake. The oldest is
-- found from owner to owner, of a thousand owners of each priority.
create function state_of_lives(
  out ready int, out oldest_seconds double precision, out overdue int, out refused int, out first_refused text, out refused_since text
) language plpgsql stable as $$
declare
  v_now constant timestamptz := clock_timestamp();
  v_oldest timestamptz := v_now;
  v_due_at timestamptz;
  v_owner text;
begin
  ready := (select count(*) from (select from lives m where m.ready and m.due_at <= v_now limit 100000) due);
  for v_priority in 1..5 loop
    v_owner := '';
    for v_turn in 1..1000 loop
      select m.owner, m.due_at into v_owner, v_due_at from lives m
        where m.ready and m.priority = v_priority and m.owner > v_owner order by m.owner, m.due_at limit 1;
      exit when not found;
      v_oldest := least(v_oldest, v_due_at);
    end loop;
  end loop;
  oldest_seconds := extract(epoch from v_now - v_oldest);
  overdue := (select count(*) from (
      (select from lives m where not m.ready and m.epoch = life_epoch_now() and m.due_at <= v_now limit 100000)
      union all
      (select from lives m where not m.ready and m.epoch is null and m.due_at <= v_now limit 100000)) due);
  select count(*), (array_agg(life order by refused_at))[1], min(refused_at)::text into refused, first_refused, refused_since
    from lives where refused_at is not null;
end $$;
