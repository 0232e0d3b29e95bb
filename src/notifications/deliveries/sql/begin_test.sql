-- A test of a destination: an event of its own and its one delivery, which says immediately where nothing can be sent.
create function begin_test(p_delivery text, d destinations) returns boolean language plpgsql as $$
declare
  v_event text := record_service_event(d.operator_id, 'notification.test', 'info', json_build_object('destination_id', d.id));
  v_hindrance text := hindrance_of_queue(d);
begin
  insert into deliveries (id, operator_id, event_id, destination_id, channel_type, event_type, status, reason, error, ended_at)
    values (p_delivery, d.operator_id, v_event, d.id, d.channel_type, 'notification.test',
      case when v_hindrance is null then 'sending' else 'failed' end, v_hindrance, sentence_of_refusal(v_hindrance),
      case when v_hindrance is not null then clock_timestamp() end);
  return v_hindrance is null;
end $$;
