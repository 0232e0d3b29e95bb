-- The provider gives up; the same error again changes nothing and answers the same.
create function fail_invocation(
  p_authority text, p_key_operator text, p_agent_part text, p_actor text, p_key text, p_fingerprint bytea, p_request text,
  p_invocation text, p_attempt int, p_error text
) returns invocation_answer language plpgsql as $$
declare i invocations; answer invocation_answer; messages int := 0;
begin
  answer := replay_invocation_answer(p_key_operator, p_agent_part, p_key, p_fingerprint);
  if answer.replayed then return answer; end if;
  i := lock_invocation(p_invocation, p_authority, 'provider');
  perform refuse_service_executed(i);
  perform refuse_expired(i);
  perform refuse_other_attempt(i, p_attempt);
  if i.status <> 'failed' or i.error <> p_error then
    if i.status <> 'processing' then perform refuse_not_processing(i); end if;
    i := end_invocation(i, 'failed', p_error, i.provider_operator_id, p_actor, 'invocation.failed', p_request);
    perform wake_life('invocation:' || p_invocation, i.consumer_operator_id);
    messages := 1;
  end if;
  answer := invocation_answer_of(i, messages);
  if p_key is not null then perform keep_answer(p_key_operator, p_agent_part, p_key, 200, answer.snapshot, null); end if;
  if messages > 0 then perform return_held_price(i); end if;
  return answer;
end $$;
