-- Wakes the lives of subscriptions that seem to have none.
create function reconcile_subscriptions() returns int language sql as $$
  select wake_lives(array(
    select 'subscription:' || s.operator_id from subscriptions s
    where s.due_at < clock_timestamp() - interval '10 seconds'
      and not exists (select from life_messages l where l.life = 'subscription:' || s.operator_id)
    order by s.due_at limit 100));
$$;
