-- The first step of every report: takes the Idempotency-Key. Where a finished report has left its answer under the key, it is
-- returned, `replayed`. Null: go on.
create function replay_report(p_operator text, p_agent_part text, p_key text, p_fingerprint bytea) returns report_answer language plpgsql as $$
declare stored idempotency_keys;
begin
  stored := take_idempotency_key(p_operator, p_agent_part, p_key, p_fingerprint);
  if stored.status is null then return null; end if;
  return row(true, stored.answer, 0)::report_answer;
end $$;
