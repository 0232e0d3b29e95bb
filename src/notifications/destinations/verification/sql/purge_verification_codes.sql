-- Deletes codes that no limit counts any more, a thousand at most. Returns how many.
create function purge_verification_codes() returns int language sql as $$
  with old as (
    delete from verification_codes where ctid = any(array(
      select ctid from verification_codes
      where requested_at < now() - interval '24 hours' and expires_at <= now() and status not in ('waiting', 'sending')
      order by requested_at limit 1000 for update skip locked)) returning 1)
  select count(*)::int from old;
$$;
