-- Whether the log is `late`: claims wait and no life has looked for ten seconds, or none of this store. Then it wakes the life, if no message
-- does already. A clock that was set back leaves moments in the future, which count as long ago.
create function reconcile_log(out woken int, out late boolean) language plpgsql as $$
declare
  v_now constant timestamptz := clock_timestamp();
  v_lives text[];
begin
  with neglected as (
    update claim_log set woken_at = v_now
      where (published_size < tree_size or stopped_reason is not null or exists (select from log_pending))
        and (life_seen_at is null or life_seen_at not between v_now - interval '10 seconds' and v_now
          or greatest(life_seen_at, woken_at) < life_store_since())
      returning 'log-sequencer:' || id as life
  ) select count(*) > 0, coalesce(array_agg(life) filter (where not exists (select from life_messages m where m.life = neglected.life)), '{}')
    into late, v_lives from neglected;
  woken := wake_lives(v_lives, array_fill('op_platform'::text, array[cardinality(v_lives)]));
end $$;
