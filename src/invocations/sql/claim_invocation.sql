-- The provider takes the invocation to work on it, for `p_lease_seconds` or, where that is null, to its end.
create function claim_invocation(
  p_authority text, p_key_operator text, p_agent_part text, p_actor text, p_key text, p_fingerprint bytea, p_request text,
  p_invocation text, p_attempt int, p_lease_seconds double precision
) returns invocation_answer language plpgsql as $$
declare i invocations; answer invocation_answer; moment timestamptz;
begin
  answer := replay_invocation_answer(p_key_operator, p_agent_part, p_key, p_fingerprint);
  if answer.replayed then return answer; end if;
  i := lock_invocation(p_invocation, p_authority, 'provider');
  perform refuse_service_executed(i);
  perform refuse_expired(i);
  if not is_claimable(i) then perform refuse_not_pending(i); end if;
  perform refuse_other_attempt(i, p_attempt);
  moment := clock_timestamp();
  update invocations set status = 'processing', attempt = attempt + 1, claimed_at = moment,
      lease_seconds = p_lease_seconds, lease_until = moment + make_interval(secs => p_lease_seconds)
    where id = p_invocation returning * into i;
  insert into audit_events (operator_id, actor, action, target, request_id)
    values (i.provider_operator_id, p_actor, 'invocation.claimed', p_invocation, p_request);
  if p_lease_seconds is not null then perform wake_life('invocation:' || p_invocation, i.consumer_operator_id); end if;
  answer := invocation_answer_of(i, case when p_lease_seconds is null then 0 else 1 end);
  if p_key is not null then perform keep_answer(p_key_operator, p_agent_part, p_key, 200, answer.snapshot, null); end if;
  return answer;
end $$;
