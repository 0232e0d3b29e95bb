-- Deletes addresses of the portal that are an hour old, and sessions that are a week old, a thousand of each at most. Returns how many it changed.
create function purge_portals() returns int language sql as $$
  with closed as (
    update portal_sessions set status = 'expired', url = null where id = any(array(
      select id from portal_sessions where status = 'open' and created_at < now() - interval '1 hour'
      order by created_at limit 1000 for update skip locked)) returning 1
  ), old as (
    delete from portal_sessions where ctid = any(array(
      select ctid from portal_sessions where status not in ('opening', 'open') and created_at < now() - interval '7 days'
      order by created_at limit 1000 for update skip locked)) returning 1
  ) select ((select count(*) from closed) + (select count(*) from old))::int;
$$;
