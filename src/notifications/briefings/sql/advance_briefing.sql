-- One step of the life that mails people of an operator: records that approvals lapse soon, and takes what is to be mailed now, which is deleted
-- and returned for the mails of this transaction. What was decided meanwhile is left out. Rounds of a class are at
-- least briefing_pause() apart, and what comes between them goes into one mail.
create function advance_briefing(p_operator text) returns briefing_step language plpgsql as $$
declare
  v_now timestamptz; v_items text; v_next timestamptz; v_count int;
begin
  perform begin_look('briefing:' || p_operator);
  perform pg_advisory_xact_lock(1651664230, hashtext(p_operator)); -- one round at a time
  v_now := clock_timestamp();
  with due as (
    delete from briefing_items where operator_id = p_operator and class = 'deadline' and due_at <= v_now returning event_id
  ) select count(record_service_event(p_operator, 'approval.expiring', 'warning', e.payload::json)) into v_count
    from due join notified_events e on e.id = due.event_id where is_still_waiting(e.event_type, e.payload::json);
  with taken as (
    delete from briefing_items i where operator_id = p_operator and class <> 'deadline'
      and (class = 'invitation' or not exists (select from briefing_rounds r
        where r.operator_id = p_operator and r.class = i.class and v_now < r.mailed_at + briefing_pause(r.mailed_at, r.previous_at)))
    returning event_id, class
  ), told as (
    select t.class, e.id, e.event_type, e.payload, e.created_at from taken t join notified_events e on e.id = t.event_id
    where is_still_waiting(e.event_type, e.payload::json)
  ), rounds as (
    insert into briefing_rounds (operator_id, class, mailed_at) select distinct p_operator, class, v_now from told where class <> 'invitation'
    on conflict (operator_id, class) do update set previous_at = briefing_rounds.mailed_at, mailed_at = excluded.mailed_at
  ) select coalesce(json_agg(json_build_object('class', class, 'event_type', event_type, 'payload', payload::json) order by created_at, id), '[]')
    into v_items from told;
  select min(greatest(i.due_at, r.mailed_at + briefing_pause(r.mailed_at, r.previous_at))) into v_next
    from briefing_items i left join briefing_rounds r on r.operator_id = i.operator_id and r.class = i.class
    where i.operator_id = p_operator;
  perform look_again('briefing:' || p_operator, p_operator, v_next + interval '10 seconds');
  return row(v_next is not null, case when v_next is not null then ms_until(v_next) end, iso_time(v_next), v_items)::briefing_step;
end $$;
