-- Looks at these lives of sessions without a run: deadlines need nothing outside of the database. One that a run looks at, or with a late lineage that a
-- command holds, is due again in a quarter of a minute, and one that fails in a minute; it takes no other with it. `p_wakes`: those that go on are also to be delivered.
create function look_at_sessions(p_lives text[], p_wakes boolean, p_checkout_grace double precision, out raised int, out ended int, out failed text[])
language plpgsql as $$
declare
  v_life text;
  v_late text[];
  v_free text[];
  v_looks int;
  v_refused_at timestamptz;
  v_has_run boolean;
  v_reason text;
  s session_step;
begin
  raised := 0; ended := 0; failed := '{}';
  foreach v_life in array p_lives loop
    begin
      continue when is_looked_at(v_life);
      select array_agg(id) into v_late from passport_lineages l
        where l.session_id = split_part(v_life, ':', 2) and next_deadline(l, p_checkout_grace) <= clock_timestamp();
      v_free := array(select id from passport_lineages where id = any(v_late) order by id for no key update skip locked);
      continue when cardinality(v_free) < cardinality(v_late);
      select max(attempts), min(refused_at), may_have_run(v_life) into v_looks, v_refused_at, v_has_run from lives where life = v_life;
      s := advance_session(split_part(v_life, ':', 2), p_checkout_grace);
      if s.raised then raised := raised + 1; end if;
      if s.open then
        perform keep_looking(v_life, v_looks, p_wakes, v_refused_at);
      elsif v_has_run then
        insert into lives (life, owner, due_at, attempts)
          select v_life, operator_id, clock_timestamp(), v_looks from passport_sessions where id = split_part(v_life, ':', 2); -- it ends
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
