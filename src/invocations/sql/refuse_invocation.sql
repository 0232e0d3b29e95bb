-- Refuses a call of invoke_skill() for what comes before its input, so that no input is checked for nothing. A call whose key stands
-- for an answer is none: it is answered as it was.
create function refuse_invocation(
  p_operator text, p_agent_part text, p_key text, p_skill text, p_agent text, p_passport text, p_mission text, p_max_price bigint,
  p_trial boolean
) returns void language plpgsql as $$
begin
  if exists (select from idempotency_keys
      where operator_id = p_operator and agent_id = p_agent_part and key = p_key and created_at >= now() - interval '24 hours') then
    return;
  end if;
  perform admit_invocation(p_operator, p_skill, p_agent, p_passport, p_mission, p_max_price, p_trial);
end $$;
