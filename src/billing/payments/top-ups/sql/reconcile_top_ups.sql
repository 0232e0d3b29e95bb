-- Wakes the lives of top-ups that seem to have none, and deletes webhook events of a quarter of a year. Waking counts as
-- seeing: a run that retries a provider that is away is not woken at every round.
create function reconcile_top_ups(out woken int, out forgotten int) language plpgsql as $$
begin
  with missing as (
    update top_ups t set life_seen_at = case when life_seen_at is not null then clock_timestamp() end
    where id = any(array(
      select id from top_ups m where status in ('opening', 'open', 'processing')
        and ((life_seen_at is null and created_at < clock_timestamp() - interval '10 seconds')
          or life_seen_at < life_store_since()
          or (coalesce(next_call_at, expires_at) < clock_timestamp() - interval '1 minute'
            and life_seen_at < clock_timestamp() - interval '10 minutes'))
        and not exists (select from life_messages l where l.life = 'top-up:' || m.id)
      limit 100 for update skip locked))
    returning id
  ) select wake_lives(array(select 'top-up:' || id from missing)) into woken;
  with old as (
    delete from payment_events where ctid = any(array(
      select ctid from payment_events where received_at < now() - interval '90 days'
      order by received_at limit 1000 for update skip locked)) returning 1)
  select count(*) into forgotten from old;
end $$;
