-- Wakes the lives of subscriptions that seem to have none.
create function reconcile_subscriptions() returns int language plpgsql as $$
declare v_late constant timestamptz := clock_timestamp() - interval '10 seconds'; -- as a value, which a condition of an index can be
begin
  return (with late as (
    select s.operator_id from subscriptions s
    where s.due_at < v_late and not exists (select from life_messages l where l.life = 'subscription:' || s.operator_id)
    order by s.due_at limit 100
  ) select wake_lives(coalesce(array_agg('subscription:' || operator_id), '{}'), coalesce(array_agg(operator_id), '{}')) from late);
end $$;
