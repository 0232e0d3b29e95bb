-- The row's deadline decides, whether or not its timer has fired yet.
create function refuse_expired(i invocations) returns void language plpgsql as $$
begin
  if i.status = 'expired' or (i.status in ('pending', 'processing') and i.expires_at <= clock_timestamp()) then
    perform refuse('INVOCATION_EXPIRED', format('The invocation expired at %s.', iso_time(i.expires_at)),
      json_build_object('expires_at', iso_time(i.expires_at)));
  end if;
end $$;
