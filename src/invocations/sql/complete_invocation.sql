-- Delivers the output and moves the held price to the provider's earnings. `p_output_fits`: it matches the output
-- schema of the invocation's revision. The same output again changes nothing and answers the same.
create function complete_invocation(
  p_authority text, p_key_operator text, p_agent_part text, p_actor text, p_key text, p_fingerprint bytea, p_request text,
  p_invocation text, p_attempt int, p_output text, p_output_hash text, p_output_fits boolean, p_transfer text
) returns invocation_answer language plpgsql as $$
declare i invocations; answer invocation_answer; messages int := 0;
begin
  answer := replay_invocation_answer(p_key_operator, p_agent_part, p_key, p_fingerprint);
  if answer.replayed then return answer; end if;
  i := lock_invocation(p_invocation, p_authority, 'provider');
  perform refuse_service_executed(i);
  perform refuse_expired(i);
  perform refuse_other_attempt(i, p_attempt);
  if i.status <> 'completed' or i.output_hash <> p_output_hash then
    if i.status <> 'processing' then perform refuse_not_processing(i); end if;
    if not p_output_fits then
      perform refuse('OUTPUT_SCHEMA_MISMATCH', 'The output does not match the output schema of the skill; the invocation is still yours.');
    end if;
    update invocations set status = 'completed', output = p_output, output_hash = p_output_hash, completed_at = clock_timestamp(),
        lease_until = null
      where id = p_invocation returning * into i;
    insert into audit_events (operator_id, actor, action, target, request_id)
      values (i.provider_operator_id, p_actor, 'invocation.completed', p_invocation, p_request);
    perform record_invocation_event(i, 'invocation.completed');
    perform wake_life('invocation:' || p_invocation, i.consumer_operator_id);
    messages := 1;
  end if;
  answer := invocation_answer_of(i, messages);
  if p_key is not null then perform keep_answer(p_key_operator, p_agent_part, p_key, 200, answer.snapshot, null); end if;
  if messages > 0 then perform capture_price(i, p_transfer); end if;
  return answer;
end $$;
