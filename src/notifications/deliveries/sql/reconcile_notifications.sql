-- Wakes the lives of destinations for which something is open that nobody looks after: a delivery that came more than ten seconds ago, and no
-- life has looked since, or for two minutes; or a call that cannot last any longer. It goes from one destination with open deliveries to
-- the next by the index.
create function reconcile_notifications() returns int language sql as $$
  with recursive open as (
    (select destination_id from deliveries where status = 'sending' order by destination_id limit 1)
    union all
    select (select x.destination_id from deliveries x where x.status = 'sending' and x.destination_id > open.destination_id
      order by x.destination_id limit 1)
    from open where open.destination_id is not null
  ), seen as (
    select open.destination_id as id, coalesce(d.operator_id, 'nobody') as owner, coalesce(d.life_seen_at, '-infinity') as seen_at,
      coalesce(d.sending_until > clock_timestamp(), false) as has_turn
    from open left join destinations d on d.id = open.destination_id where open.destination_id is not null
  )
  select wake_lives(coalesce(array_agg('notification:' || due.id), '{}'), coalesce(array_agg(due.owner), '{}')) from (
    select seen.id, seen.owner from seen
    where (seen.seen_at < life_store_since()
        or not has_turn and exists (
          select from deliveries x where x.destination_id = seen.id and x.status = 'sending' and x.started_at is null
            and x.created_at < clock_timestamp() - interval '10 seconds'
            and (seen.seen_at < x.created_at or seen.seen_at < clock_timestamp() - interval '2 minutes'))
        or exists (
          select from deliveries x where x.destination_id = seen.id and x.status = 'sending'
            and x.started_at < clock_timestamp() - interval '40 seconds'))
      and not exists (select from life_messages l where l.life = 'notification:' || seen.id)
    limit 100) due;
$$;
