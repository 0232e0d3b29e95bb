-- Wakes the lives of mails that seem to have none, and deletes mails a week old.
create function reconcile_mails(out woken int, out forgotten int) language plpgsql as $$
begin
  woken := wake_lives(array(
    select 'mail:' || m.id from mails m
    where m.status = 'waiting'
      and ((m.life_seen_at is null and m.created_at < clock_timestamp() - interval '10 seconds')
        or m.life_seen_at < life_store_since()
        or m.expires_at < clock_timestamp() - interval '1 minute')
      and not exists (select from life_messages l where l.life = 'mail:' || m.id)
    limit 100));
  with old as (
    delete from mails where ctid = any(array(
      select ctid from mails where status <> 'waiting' and created_at < now() - interval '7 days'
      order by created_at limit 1000 for update skip locked)) returning 1)
  select count(*) into forgotten from old;
end $$;
