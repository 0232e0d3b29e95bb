-- The keys of a new service. Of several processes that make them in parallel one wins, and the others find its keys.
create function make_first_signing_keys(
  p_kid text, p_x text, p_private text, p_next_kid text, p_next_x text, p_next_private text
) returns void language plpgsql as $$
begin
  perform pg_advisory_xact_lock(1802201963);
  if exists (select from signing_keys) then return; end if;
  insert into signing_keys (kid, x, private_key, status, activated_at) values (p_kid, p_x, p_private, 'active', clock_timestamp());
  insert into signing_keys (kid, x, private_key, status) values (p_next_kid, p_next_x, p_next_private, 'next');
end $$;
