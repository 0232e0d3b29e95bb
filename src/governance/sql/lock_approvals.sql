-- Holds the requests of an operator that wait for a person, until the transaction ends: they are counted. It is the last lock of its
-- commands (rule 12).
create function lock_approvals(p_operator text) returns void language sql as $$
  select pg_advisory_xact_lock(1735355750, hashtext(p_operator));
$$;
