-- Looks at these lives of invocations without a run, as `take_due_lives` and `take_waiting_lives` give them: deadlines, lapsed claims and what follows
-- an end need nothing outside of the database. An execution does, so its run is woken. One that a command or a run holds is due again in a
-- quarter of a minute, and one that fails in a minute; it takes no other with it. `p_wakes`: those that go on are also to be delivered. `ended`: how
-- many have ended and have no run. `late`: those whose price goes back, each in a transaction of its own, since two would lock wallets and budgets
-- in any order; they are left out where there are others. Those that only wait, and whose run is not to be woken, are put off together: after a store of
-- lives was lost there may be very many.
create function look_at_invocations(p_lives text[], p_wakes boolean, out changed text[], out ended int, out late text[], out failed text[])
language plpgsql as $$
declare
  v_lives text[] := p_lives;
  v_life text;
  v_looks int;
  v_refused_at timestamptz;
  v_has_run boolean;
  v_reason text;
  i invocations;
  s invocation_step;
begin
  changed := '{}'; ended := 0; late := '{}'; failed := '{}';
  if not p_wakes then
    with waiting as (
      select m.id, least(open.expires_at, open.lease_until) + interval '1 second' as at
      from lives m join invocations open on open.id = split_part(m.life, ':', 2)
      where m.life = any(p_lives) and not m.ready and m.epoch = life_epoch_now()
        and open.status in ('pending', 'processing') and open.execution_mode = 'open' and least(open.expires_at, open.lease_until) > clock_timestamp()
        and not exists (select from lives other where other.life = m.life and other.id <> m.id)
      for update of m skip locked
    ), kept as (
      update lives m set due_at = least(waiting.at, clock_timestamp() + next_look_in(m.attempts)), attempts = m.attempts + 1
      from waiting where m.id = waiting.id returning m.life
    ) select array(select unnest(p_lives) except select kept.life from kept) into v_lives;
  end if;
  foreach v_life in array v_lives loop
    begin
      continue when is_looked_at(v_life);
      select * into i from invocations where id = split_part(v_life, ':', 2) for no key update skip locked;
      continue when not found and exists (select from invocations where id = split_part(v_life, ':', 2));
      if i.status in ('pending', 'processing') and i.expires_at <= clock_timestamp() and cardinality(p_lives) > 1 then
        late := late || v_life;
        continue;
      end if;
      if i.status in ('pending', 'processing') and i.execution_mode <> 'open' and i.expires_at > clock_timestamp() then
        perform deliver_lives(array[v_life]);
        continue;
      end if;
      select max(attempts), min(refused_at), may_have_run(v_life) into v_looks, v_refused_at, v_has_run from lives where life = v_life;
      s := advance_invocation(split_part(v_life, ':', 2));
      if s.changed then changed := changed || i.id; end if;
      if s.open then
        perform keep_looking(v_life, v_looks, p_wakes, v_refused_at);
      elsif v_has_run then
        insert into lives (life, owner, due_at, attempts) values (v_life, i.consumer_operator_id, clock_timestamp(), v_looks); -- it ends
      else
        ended := ended + 1;
      end if;
    exception when others then
      get stacked diagnostics v_reason = message_text;
      failed := failed || (v_life || ': ' || v_reason);
      perform note_failed_look(v_life, v_reason);
    end;
  end loop;
end $$;
