-- Looks at these lives of invocations without a run, as `take_due_lives` and `take_waiting_lives` give them: deadlines, lapsed claims and what follows
-- an end need nothing outside of the database. An execution that waits does, so it is left to its run. One that a command holds is due again in
-- a quarter of a minute, and one that fails in a minute; it takes no other with it. `p_wakes`: those that go on are also to be delivered. `ended`: how many have
-- ended and have no run.
create function look_at_invocations(p_lives text[], p_wakes boolean, out changed text[], out ended int, out failed text[]) language plpgsql as $$
declare
  v_life text;
  v_looks int;
  v_has_run boolean;
  v_reason text;
  i invocations;
  s invocation_step;
begin
  changed := '{}'; ended := 0; failed := '{}';
  foreach v_life in array p_lives loop
    begin
      select * into i from invocations where id = split_part(v_life, ':', 2) for no key update skip locked;
      continue when not found and exists (select from invocations where id = split_part(v_life, ':', 2));
      v_looks := (select max(attempts) from lives where life = v_life);
      v_has_run := may_have_run(v_life);
      if i.status = 'pending' and i.execution_mode <> 'open' and i.expires_at > clock_timestamp() then
        perform begin_look(v_life);
        perform look_again(v_life, i.consumer_operator_id, i.expires_at + interval '1 second');
        perform keep_looking(v_life, v_looks, p_wakes);
        continue;
      end if;
      s := advance_invocation(split_part(v_life, ':', 2));
      if s.changed then changed := changed || i.id; end if;
      if s.open then
        perform keep_looking(v_life, v_looks, p_wakes);
      elsif v_has_run then
        perform wake_life(v_life, i.consumer_operator_id); -- it ends
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
