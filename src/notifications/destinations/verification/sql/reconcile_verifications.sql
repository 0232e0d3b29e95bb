-- Wakes the lives of codes that seem to have none or are late, deletes codes that no limit counts any more, and secrets of webhooks whose
-- day after a rotation is over.
create function reconcile_verifications(out woken int, out forgotten int) language plpgsql as $$
declare
  v_now constant timestamptz := clock_timestamp(); -- as a value: no index is read up to what a volatile function returns
begin
  select wake_lives(coalesce(array_agg('verification:' || due.id), '{}'), coalesce(array_agg(due.operator_id), '{}')) into woken from (
    select c.id, c.operator_id from verification_codes c
    where c.status in ('waiting', 'sending')
      and ((c.life_seen_at is null and c.requested_at < v_now - interval '10 seconds')
        or c.life_seen_at < life_store_since()
        or c.expires_at < v_now - interval '1 minute'
        or c.started_at < v_now - interval '1 minute')
      and not exists (select from life_messages l where l.life = 'verification:' || c.id)
    limit 100) due;
  update destinations set old_secret = null, old_secret_until = null where old_secret is not null and old_secret_until <= v_now;
  with old as (
    delete from verification_codes where ctid = any(array(
      select ctid from verification_codes
      where requested_at < v_now - interval '24 hours' and expires_at <= v_now and status not in ('waiting', 'sending')
      order by requested_at limit 1000 for update skip locked)) returning 1)
  select count(*) into forgotten from old;
end $$;
