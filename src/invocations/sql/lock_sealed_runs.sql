-- Makes executions of one consumer begin and end one after the other. After the invocation's own row, before the wallet (rule 12).
create function lock_sealed_runs(p_operator text) returns void language plpgsql as $$
begin
  perform pg_advisory_xact_lock(1936026989, hashtext(p_operator)); -- it spells "seal"
end $$;
