-- Deletes events of the payment provider of a quarter of a year ago, a thousand at most. Returns how many.
create function purge_payment_events() returns int language sql as $$
  with old as (
    delete from payment_events where ctid = any(array(
      select ctid from payment_events where received_at < now() - interval '90 days'
      order by received_at limit 1000 for update skip locked)) returning 1)
  select count(*)::int from old;
$$;
