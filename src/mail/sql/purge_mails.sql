-- Deletes mails a week old, a thousand at most. Returns how many.
create function purge_mails() returns int language sql as $$
  with old as (
    delete from mails where ctid = any(array(
      select ctid from mails where status <> 'waiting' and created_at < now() - interval '7 days'
      order by created_at limit 1000 for update skip locked)) returning 1)
  select count(*)::int from old;
$$;
