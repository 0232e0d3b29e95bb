-- Begins the one call that hands a mail to the mail server: true for the caller that makes it. A call that was begun before and has not ended is
-- that of a process that is gone: whether the mail was taken is not known, and it is not sent again.
create function begin_mail(p_mail text) returns boolean language plpgsql as $$
begin
  update mails set status = 'unknown', text = null where id = p_mail and status = 'waiting' and sending_at is not null;
  update mails set sending_at = clock_timestamp() where id = p_mail and status = 'waiting' and expires_at > clock_timestamp();
  return found;
end $$;
