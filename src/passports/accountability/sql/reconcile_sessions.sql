-- Mends what a lost message, a lost run or another store of lives left behind (rule 11), of sessions that are due: deadlines half a minute
-- past are raised here and now, and lives that have not read what was added are woken. A hundred sessions, those of every operator in
-- turn among the thousand that are due longest. One that fails is passed over for a minute and takes no other with it.
create function reconcile_sessions(p_checkout_grace double precision, out looked int, out woken int, out raised int, out failed text[])
language plpgsql as $$
declare
  v_epoch int := life_epoch_now();
  v_now timestamptz := clock_timestamp();
  v_id text;
  v_missing boolean;
  v_reason text;
  s passport_sessions;
  l passport_lineages;
begin
  looked := 0; woken := 0; raised := 0; failed := '{}';
  for v_id in
    with due as (
      (select id, operator_id, look_at from passport_sessions where look_at is not null and life_epoch = v_epoch and look_at <= v_now
        order by look_at limit 1000)
      union all
      (select id, operator_id, look_at from passport_sessions where look_at is not null and life_epoch is null and look_at <= v_now
        order by look_at limit 1000)
    )
    select id from (select id, look_at, row_number() over (partition by operator_id order by look_at) as turn from due) taken
      order by turn, look_at limit 100
  loop
    looked := looked + 1;
    begin
      v_missing := false;
      -- Lineages before their session, as a command locks them; one that a command holds is left for the next time.
      for l in select x.* from passport_lineages x
        where x.session_id = v_id and next_deadline(x, p_checkout_grace) < v_now - interval '30 seconds'
        order by x.id for no key update skip locked
      loop
        perform flag_missed_deadlines(l, clock_timestamp(), p_checkout_grace);
        raised := raised + 1;
        v_missing := true;
      end loop;
      select * into s from passport_sessions where id = v_id for no key update;
      v_missing := v_missing or s.life_epoch is null
        or exists (select from passport_lineages x where x.session_id = v_id and is_accountable(x) and x.started_at > s.life_seen_at);
      woken := woken + wake_missing_session(s, v_missing, look_at_session_next(v_id, p_checkout_grace));
    exception when others then
      get stacked diagnostics v_reason = message_text;
      failed := failed || (v_id || ': ' || v_reason);
      update passport_sessions set look_at = clock_timestamp() + interval '1 minute' where id = v_id;
    end;
  end loop;
end $$;
