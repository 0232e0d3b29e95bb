-- Deletes the notes of invitations that no limit counts any more, a thousand at most. Returns how many.
create function purge_invitation_mails() returns int language sql as $$
  with old as (
    delete from invitation_mails where ctid = any(array(
      select ctid from invitation_mails where mailed_at <= clock_timestamp() - interval '24 hours'
      order by mailed_at limit 1000 for update skip locked)) returning 1)
  select count(*)::int from old;
$$;
