-- Stores the answer of a command under its key; without a key there is nothing to store.
create function keep_answer(p_operator text, p_agent text, p_key text, p_status int, p_answer text, p_location text)
returns void language sql as $$
  update idempotency_keys set status = p_status, answer = p_answer, location = p_location
  where operator_id = p_operator and agent_id = p_agent and key = p_key and p_key is not null;
$$;
