-- The consumer withdraws what nobody works on; once it is withdrawn, the same again changes nothing and answers the same.
-- `p_agent`: it must be an invocation of this agent; null: of any.
create function cancel_invocation(
  p_authority text, p_key_operator text, p_agent_part text, p_actor text, p_key text, p_fingerprint bytea, p_request text,
  p_invocation text, p_agent text default null
) returns invocation_answer language plpgsql as $$
declare
  withdrawn constant text := '{"code":"CANCELLED_BY_CONSUMER","message":"The consumer cancelled it before it was done."}';
  i invocations; answer invocation_answer; messages int := 0;
begin
  answer := replay_invocation_answer(p_key_operator, p_agent_part, p_key, p_fingerprint);
  if answer.replayed then return answer; end if;
  if p_agent is not null and not exists (select from invocations
      where id = p_invocation and agent_id = p_agent and consumer_operator_id = p_authority) then
    perform refuse('NOT_FOUND', 'There is no such invocation, or this credential may not see it.');
  end if;
  i := lock_invocation(p_invocation, p_authority, 'consumer');
  perform refuse_expired(i);
  if i.status <> 'failed' or i.error <> withdrawn then
    if not is_claimable(i) then perform refuse_not_pending(i); end if;
    i := end_invocation(i, 'failed', withdrawn, i.consumer_operator_id, p_actor, 'invocation.cancelled', p_request);
    perform wake_life('invocation:' || p_invocation, i.consumer_operator_id);
    messages := 1;
  end if;
  answer := invocation_answer_of(i, messages);
  if p_key is not null then perform keep_answer(p_key_operator, p_agent_part, p_key, 200, answer.snapshot, null); end if;
  if messages > 0 then perform return_held_price(i); end if;
  return answer;
end $$;
