-- Issuing, delegating and refreshing share the operator, every revocation has it alone (rule 12): what
-- was racing is either seen by the revocation or refused after it. To be taken in a statement before the one that reads. All of them
-- share the signing keys, which rotate_signing_keys() has alone.
create function lock_passports_shared(p_operator text) returns void language sql as $$
  select pg_advisory_xact_lock_shared(1802201963), pg_advisory_xact_lock_shared(1885434739, hashtext(p_operator));
$$;
