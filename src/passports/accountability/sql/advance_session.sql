-- One step of a session's life: flags what is past its deadline, and returns what it waits for.
create function advance_session(p_session text, p_checkout_grace double precision) returns session_step language plpgsql as $$
declare
  due passport_lineages;
  late text[];
  answer session_step;
  expected timestamptz;
  deadline timestamptz;
  v_operator text;
begin
  answer.raised := false;
  perform begin_look('session:' || p_session);
  -- All lineages are locked before the first is flagged, which locks its agent: reports take both in this order (rule 12).
  late := array(select l.id from passport_lineages l
    where l.session_id = p_session and next_deadline(l, p_checkout_grace) <= clock_timestamp());
  perform from passport_lineages where id = any (late) order by id for no key update;
  for due in select l.* from passport_lineages l
    where l.id = any (late) and next_deadline(l, p_checkout_grace) <= clock_timestamp()
    order by l.id
  loop
    perform flag_missed_deadlines(due, clock_timestamp(), p_checkout_grace);
    answer.raised := true;
  end loop;
  select operator_id into v_operator from passport_sessions where id = p_session;
  answer.found := found;
  if found then perform look_again('session:' || p_session, v_operator, look_at_session_next(p_session, p_checkout_grace)); end if;
  select d.what, l.agent_id, l.checkpoint_count + 1, d.due, d.at
    into answer.waits_for, answer.agent_id, answer.checkpoint, expected, deadline
    from passport_lineages l, lateral (values
      ('checkpoint', checkpoint_due(l), checkpoint_deadline(l)),
      ('checkout', checkout_expected(l), checkout_deadline(l, p_checkout_grace))) as d (what, due, at)
    where l.session_id = p_session and d.at is not null
    order by d.at limit 1;
  answer.due := iso_time(expected);
  answer.until := iso_time(deadline);
  answer.wait_ms := ms_until(deadline);
  if deadline is null then answer.wait_ms := null; end if;
  answer.reviews := array(select id from checkouts where session_id = p_session and review_status = 'pending' order by id limit 3);
  answer.open := deadline is not null or answer.reviews <> '{}';
  return answer;
end $$;
