-- Holds a public key of an operator's agents until the transaction ends: of two commands that enter it the second one reads what the first has
-- written. Many agents may have one key, so no constraint decides. It comes behind the agent, one key a command (rule 12).
create function lock_public_key(p_operator text, p_thumbprint text) returns void language sql as $$
  select pg_advisory_xact_lock(1886086521, hashtext(p_operator || ' ' || p_thumbprint));
$$;
