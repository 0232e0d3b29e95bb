-- Takes lives of these kinds that have waited for their delivery for longer than `p_seconds`: Temporal is away, or has more than it can carry. Owners
-- take turns, a thousand of them at most, those behind `p_after` first, with fifty rows each. One that has a run, which waits for what is to be
-- delivered, is left to it.
-- `last_owner`: to go on behind; null where it came to the last.
create function take_waiting_lives(
  p_kinds text[], p_seconds double precision, p_limit int, p_after text, out taken text[], out last_owner text
) language plpgsql as $$
declare
  v_until constant timestamptz := clock_timestamp() - make_interval(secs => p_seconds);
  v_due_at timestamptz;
  v_ids bigint[] := '{}';
begin
  last_owner := p_after;
  for v_turn in 1..1000 loop
    -- Lives about work: the kinds that can be looked at without a run are among them.
    select m.owner, m.due_at into last_owner, v_due_at from lives m
      where m.ready and m.priority = 3 and m.owner > last_owner order by m.owner, m.due_at limit 1;
    exit when not found;
    continue when v_due_at > v_until;
    v_ids := v_ids || array(
      select m.id from lives m
      where m.ready and m.attempts = 0 and m.priority = 3 and m.owner = last_owner and m.due_at <= v_until
        and split_part(m.life, ':', 1) = any(p_kinds) and not may_have_run(m.life)
      order by m.due_at limit 50);
    exit when cardinality(v_ids) >= p_limit;
  end loop;
  with free as (
    select m.id from lives m where m.id = any(v_ids) and m.ready for update skip locked
  ), had as (
    update lives m set ready = false, due_at = clock_timestamp() + interval '15 seconds' where m.id = any(array(select free.id from free))
    returning m.life
  ) select coalesce(array_agg(distinct had.life), '{}') into taken from had;
end $$;
