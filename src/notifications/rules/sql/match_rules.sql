-- One delivery for each destination that some rule of the operator names for this event, in the event's own transaction, so that nothing
-- committed is lost; several rules with one destination make one (decision N30). What people are mailed about without a rule is noted too. One that cannot be made now says so, and wakes nobody;
-- a full queue says so once a minute (decision N30).
-- A destination whose last turn began half a second ago or earlier is woken immediately, else when it did. One that is sending finds this by
-- itself, and one that waits for its turn is woken by the end of another's; both delete the message when they look. They are woken in half a
-- second all the same, since they may end before this commits (decision N30).
create function match_rules(p_event text, p_operator text, p_type text, p_severity text) returns void language plpgsql as $$
declare
  matched text[];
  owners text[];
  due timestamptz[];
begin
  perform brief_people(p_event, p_operator, p_type);
  with matched_destinations as materialized (
    select d.id, d.channel_type, hindrance_of_event(d) as hindrance
    from destinations d
    where d.operator_id = p_operator and d.id in (
      select rd.destination_id from notification_rules r join rule_destinations rd on rd.rule_id = r.id
      where r.operator_id = p_operator and r.active
        and r.events && array[p_type, split_part(p_type, '.', 1) || '.*']
        and severity_rank(p_severity) >= severity_rank(r.min_severity))
  ), made as (
    insert into deliveries (id, operator_id, event_id, destination_id, channel_type, event_type, status, reason, error, ended_at)
    select new_prefixed_id('dlv'), p_operator, p_event, m.id, m.channel_type, p_type,
      case when m.hindrance is null then 'sending' else 'failed' end, m.hindrance, sentence_of_refusal(m.hindrance),
      case when m.hindrance is not null then clock_timestamp() end
    from matched_destinations m
    where case when m.hindrance = 'queue_full' then is_first_left_out(m.id) else true end
    returning destination_id, status
  ) select array_agg('notification:' || d.id), array_agg(p_operator),
      array_agg(case when d.sending_until > clock_timestamp() or d.waiting_since is not null then clock_timestamp() + message_delay()
        else greatest(clock_timestamp(), d.turn_began_at + message_delay(), d.held_until) end)
    into matched, owners, due from made join destinations d on d.id = made.destination_id where made.status = 'sending';
  perform wake_lives(matched, owners, due);
end $$;
