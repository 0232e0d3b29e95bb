-- Another delivery of what a delivery was of, under the id of the same event, behind all there are. The caller has looked at the destination.
create function redeliver(p_id text, p_delivery text) returns void language sql as $$
  insert into deliveries (id, operator_id, event_id, destination_id, ordinal, channel_type, event_type)
  select p_id, x.operator_id, x.event_id, x.destination_id,
    (select max(ordinal) + 1 from deliveries y where y.event_id = x.event_id and y.destination_id = x.destination_id), x.channel_type, x.event_type
  from deliveries x where x.id = p_delivery;
$$;
