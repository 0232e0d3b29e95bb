-- For an answer that waits for an outside effect: reserves the key for `p_id`, or returns the id that it was reserved with before.
-- The row is locked, so of two callers that take a reservation over one waits. Null: an answer is stored, replay it.
create function reserve_answer(p_operator text, p_agent text, p_key text, p_fingerprint bytea, p_id text, p_seconds int)
returns text language plpgsql as $$
declare stored idempotency_keys;
begin
  perform take_idempotency_key(p_operator, p_agent, p_key, p_fingerprint);
  select * into strict stored from idempotency_keys
    where operator_id = p_operator and agent_id = p_agent and key = p_key for update;
  if stored.status is not null then return null; end if;
  if stored.reserved_until > clock_timestamp() then
    perform refuse('IDEMPOTENCY_IN_FLIGHT', 'A call with this Idempotency-Key is under way; send it again in a second.');
  end if;
  update idempotency_keys set reservation = coalesce(stored.reservation, p_id),
      reserved_until = clock_timestamp() + make_interval(secs => p_seconds)
    where operator_id = p_operator and agent_id = p_agent and key = p_key;
  return coalesce(stored.reservation, p_id);
end $$;
