-- Returns what a finished command has left under the Idempotency-Key, `replayed`: the snapshot is kept there, input and output come from the
-- row. Null: go on.
create function replay_invocation_answer(p_operator text, p_agent_part text, p_key text, p_fingerprint bytea)
returns invocation_answer language plpgsql as $$
declare
  kept constant text := kept_answer(p_operator, p_agent_part, p_key, p_fingerprint);
  answer invocation_answer;
begin
  if kept is null then return null; end if;
  select true, kept, i.input, case kept::json ->> 'status' when 'completed' then i.output end, 0
    into answer from invocations i where i.id = kept::json ->> 'id';
  return answer;
end $$;
