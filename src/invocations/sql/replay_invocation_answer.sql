-- The first step of every command: takes the Idempotency-Key. Where a finished command has left its answer under the key, that
-- answer is returned, `replayed`; input and output come from the row. Null: go on.
create function replay_invocation_answer(p_operator text, p_agent_part text, p_key text, p_fingerprint bytea)
returns invocation_answer language plpgsql as $$
declare stored idempotency_keys; answer invocation_answer;
begin
  if p_key is null then return null; end if;
  stored := take_idempotency_key(p_operator, p_agent_part, p_key, p_fingerprint);
  if stored.status is null then return null; end if;
  select true, stored.answer, i.input, case stored.answer::json ->> 'status' when 'completed' then i.output end, 0
    into answer from invocations i where i.id = stored.answer::json ->> 'id';
  return answer;
end $$;
