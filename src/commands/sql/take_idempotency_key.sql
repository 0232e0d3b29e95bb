-- Takes the key for the running transaction, or returns the row that a finished command left. A rival that is still running is
-- waited for, as long as `lock_timeout` says. Null: the key is ours, or there is no key.
create function take_idempotency_key(p_operator text, p_agent text, p_key text, p_fingerprint bytea)
returns idempotency_keys language plpgsql as $$
declare stored idempotency_keys; taken boolean;
begin
  if p_key is null then return null; end if;
  begin
    insert into idempotency_keys as k (operator_id, agent_id, key, fingerprint)
      values (p_operator, p_agent, p_key, p_fingerprint)
      on conflict (operator_id, agent_id, key) do update
        set fingerprint = excluded.fingerprint, status = null, answer = null, location = null, encrypted = false, created_at = now(),
          reservation = null, reserved_until = null
        where k.created_at < now() - interval '24 hours';
    taken := found;
  exception when lock_not_available then
    perform refuse('IDEMPOTENCY_IN_FLIGHT', 'A call with this Idempotency-Key is still running; repeat it in a moment.');
  end;
  if taken then return null; end if;
  select * into strict stored from idempotency_keys
    where operator_id = p_operator and agent_id = p_agent and key = p_key;
  if stored.fingerprint <> p_fingerprint then
    perform refuse('IDEMPOTENCY_KEY_REUSED',
      'This Idempotency-Key was used for another method, path or body; use a new key for a new request.');
  end if;
  return stored;
end $$;
