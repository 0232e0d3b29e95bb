-- For every revocation: see lock_passports_shared().
create function lock_passports_exclusively(p_operator text) returns void language sql as $$
  select pg_advisory_xact_lock_shared(1802201963), pg_advisory_xact_lock(1885434739, hashtext(p_operator));
$$;
