-- Counts lives that are due: messages that are to be delivered, since when the oldest of them is, lives that nobody has looked at, those of them
-- that have been due for more than a minute, and those that Temporal refuses to wake.
create function state_of_lives(
  out ready int, out oldest_seconds double precision, out overdue int, out late int, out refused int, out first_refused text, out refused_since text
) language plpgsql stable as $$
declare
  v_now constant timestamptz := clock_timestamp();
  v_late constant timestamptz := v_now - interval '1 minute';
begin
  select b.ready, b.oldest_seconds into ready, oldest_seconds from backlog_of_lives(100000, 100000) b;
  overdue := (select count(*) from (
      (select from lives m where not m.ready and m.epoch = life_epoch_now() and m.due_at <= v_now limit 100000)
      union all
      (select from lives m where not m.ready and m.epoch is null and m.due_at <= v_now limit 100000)) due);
  late := (select count(*) from (
      (select from lives m where not m.ready and m.epoch = life_epoch_now() and m.due_at <= v_late limit 100000)
      union all
      (select from lives m where not m.ready and m.epoch is null and m.due_at <= v_late limit 100000)) due);
  select count(distinct life), (array_agg(life order by refused_at))[1], min(refused_at)::text into refused, first_refused, refused_since
    from lives where refused_at is not null;
end $$;
