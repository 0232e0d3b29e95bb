-- Wakes the life of the log where claims wait and nobody looks after them: no life has for ten seconds, or none of this store. A clock that was
-- set back leaves moments in the future, which count as long ago.
create function reconcile_log(out woken int) language plpgsql as $$
declare
  v_now constant timestamptz := clock_timestamp();
  v_since constant timestamptz := life_store_since();
  v_lives text[];
begin
  with missing as (
    update claim_log l set woken_at = v_now
      where (published_size < tree_size or stopped_reason is not null or exists (select from log_pending))
        and (life_seen_at is null or life_seen_at not between v_now - interval '10 seconds' and v_now
          or greatest(life_seen_at, woken_at) < v_since)
        and not exists (select from life_messages m where m.life = 'log-sequencer:' || l.id)
      returning 'log-sequencer:' || id as life
  ) select coalesce(array_agg(life), '{}') into v_lives from missing;
  woken := wake_lives(v_lives, array_fill('op_platform'::text, array[cardinality(v_lives)]));
end $$;
