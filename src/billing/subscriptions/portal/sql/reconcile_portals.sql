-- Wakes the lives of portal sessions that seem to have none, deletes addresses an hour old and sessions a week old.
create function reconcile_portals() returns int language plpgsql as $$
declare
  v_now constant timestamptz := clock_timestamp(); -- as a value: no index is read up to what a volatile function returns
  woken int;
begin
  woken := wake_lives(array(
    select 'portal:' || p.id from portal_sessions p
    where p.status = 'opening' and p.created_at < v_now - interval '10 seconds'
      and (p.life_seen_at is null or p.life_seen_at < life_store_since() or p.created_at < v_now - interval '16 minutes')
      and not exists (select from life_messages l where l.life = 'portal:' || p.id)
    limit 100));
  update portal_sessions set status = 'expired', url = null where status = 'open' and created_at < v_now - interval '1 hour';
  delete from portal_sessions where ctid = any(array(
    select ctid from portal_sessions where status <> 'opening' and created_at < v_now - interval '7 days'
    order by created_at limit 1000 for update skip locked));
  return woken;
end $$;
