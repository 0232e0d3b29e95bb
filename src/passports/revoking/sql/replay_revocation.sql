-- The first step of every command that revokes: takes the Idempotency-Key. Where a finished command has left its answer under the
-- key, it is returned, `replayed`. Null: go on.
create function replay_revocation(p_operator text, p_key text, p_fingerprint bytea) returns passport_revocation_answer language plpgsql as $$
declare stored idempotency_keys;
begin
  stored := take_idempotency_key(p_operator, '', p_key, p_fingerprint);
  if stored.status is null then return null; end if;
  return row(true, stored.answer, '{}', 0)::passport_revocation_answer;
end $$;
