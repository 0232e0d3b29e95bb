-- Looks at open rows that are due (rule 11): what is long past its deadline is expired, what no life has seen or whose lease is
-- long over is woken. A hundred rows, those of every consumer in turn among the thousand that are due longest. A row that fails is
-- passed over for a minute and takes no other with it; a row that a command holds is left for the next time.
create function reconcile_invocations(out looked int, out woken int, out expired text[], out failed text[]) language plpgsql as $$
declare
  v_epoch int := life_epoch_now();
  -- A condition of an index can be a variable, and not clock_timestamp() itself.
  v_now timestamptz := clock_timestamp();
  v_id text;
  v_reason text;
  i invocations;
begin
  looked := 0; woken := 0; expired := '{}'; failed := '{}';
  for v_id in
    with due as (
      (select id, consumer_operator_id, look_at from invocations
        where status in ('pending', 'processing') and life_epoch = v_epoch and look_at <= v_now
        order by look_at limit 1000)
      union all
      (select id, consumer_operator_id, look_at from invocations
        where status in ('pending', 'processing') and life_epoch is null and look_at <= v_now
        order by look_at limit 1000)
    )
    select id from (select id, look_at, row_number() over (partition by consumer_operator_id order by look_at) as turn from due) taken
      order by turn, look_at limit 100
  loop
    begin
      select * into i from invocations where id = v_id and status in ('pending', 'processing') and look_at <= v_now
        for no key update skip locked;
      continue when not found;
      looked := looked + 1;
      if i.expires_at < clock_timestamp() - interval '30 seconds' then
        perform expire_invocation(i);
        perform wake_life('invocation:' || v_id, i.consumer_operator_id);
        expired := expired || v_id;
      else
        woken := woken + wake_missing_invocation(i, i.life_epoch is null or i.lease_until < clock_timestamp() - interval '1 minute');
      end if;
    exception when others then
      get stacked diagnostics v_reason = message_text;
      failed := failed || (v_id || ': ' || v_reason);
      update invocations set look_at = clock_timestamp() + interval '1 minute' where id = v_id;
    end;
  end loop;
end $$;
