-- A good signature without a row was never issued (decision A17).
create function refuse_ended(p passports, l passport_lineages) returns void language plpgsql as $$
begin
  if p.jti is null or p.revoked_at is not null or l.revoked_at is not null then
    perform refuse('PASSPORT_REVOKED', 'The passport was revoked; issue a new one.');
  end if;
  if p.expires_at <= clock_timestamp() then
    perform refuse('PASSPORT_EXPIRED', format('The passport expired at %s; issue a new one.', iso_time(p.expires_at)),
      json_build_object('expires_at', iso_time(p.expires_at)));
  end if;
end $$;
