-- Ends a reservation before its time, after a refusal or a 503: the next call need not wait.
create function lapse_reservation(p_operator text, p_agent text, p_key text) returns void language sql as $$
  update idempotency_keys set reserved_until = null
  where operator_id = p_operator and agent_id = p_agent and key = p_key and status is null;
$$;
