-- The first step of every hot command: takes the Idempotency-Key. Returns the answer that a finished command has left under it, to be
-- given again. Null: go on.
create function kept_answer(p_operator text, p_agent text, p_key text, p_fingerprint bytea) returns text language plpgsql as $$
declare stored idempotency_keys;
begin
  if p_key is null then return null; end if;
  stored := take_idempotency_key(p_operator, p_agent, p_key, p_fingerprint);
  return stored.answer;
end $$;
