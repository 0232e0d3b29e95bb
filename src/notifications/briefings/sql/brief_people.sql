-- Notes that people are to be mailed about an event, in the event's own transaction: rows are only added, and nothing is locked. An approval is
-- looked at again when an hour is left of its time, or a quarter where that is less.
create function brief_people(p_event text, p_operator text, p_type text) returns void language plpgsql as $$
declare
  v_classes constant text[] := case p_type
    when 'approval.requested' then array['work', 'deadline']
    when 'approval.expiring' then array['work']
    when 'review.pending' then array['work']
    when 'member.invited' then array['security', 'invitation']
    when 'api_key.created' then array['security']
    when 'operator.address_changed' then array['security']
    when 'agent.unblocked' then array['security'] end;
begin
  if v_classes is null then return; end if;
  insert into briefing_items (event_id, operator_id, class, due_at)
    select p_event, p_operator, class,
      case when class = 'deadline' then (select moment - least(interval '1 hour', (moment - clock_timestamp()) / 4)
          from (select (payload::json ->> 'expires_at')::timestamptz as moment from notified_events where id = p_event) ends)
        else clock_timestamp() end
    from unnest(v_classes) class;
  perform wake_life('briefing:' || p_operator, p_operator);
  perform announce_messages();
end $$;
