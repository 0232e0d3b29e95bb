-- Keeps the claim: one conditional update of the lease, without audit row, since it changes nothing but a time. Only a
-- lease that ends earlier than before leaves a message: otherwise its life reads the row when the old one ends. A lease
-- that lapsed can be kept while nobody else has claimed.
create function heartbeat_invocation(
  p_authority text, p_key_operator text, p_agent_part text, p_key text, p_fingerprint bytea,
  p_invocation text, p_attempt int, p_lease_seconds double precision
) returns invocation_answer language plpgsql as $$
declare i invocations; answer invocation_answer; lease_before timestamptz;
begin
  answer := replay_invocation_answer(p_key_operator, p_agent_part, p_key, p_fingerprint);
  if answer.replayed then return answer; end if;
  i := lock_invocation(p_invocation, p_authority, 'provider');
  perform refuse_service_executed(i);
  perform refuse_expired(i);
  perform refuse_other_attempt(i, p_attempt);
  if i.status <> 'processing' then perform refuse_not_processing(i); end if;
  if i.lease_until is null then
    perform refuse('NO_LEASE', 'The claim has no lease, so there is nothing to keep; claim with lease_seconds for one.');
  end if;
  lease_before := i.lease_until;
  update invocations set lease_until = clock_timestamp() + make_interval(secs => coalesce(p_lease_seconds, lease_seconds))
    where id = p_invocation returning * into i;
  if i.lease_until < lease_before then perform wake_life('invocation:' || p_invocation, i.consumer_operator_id); end if;
  answer := invocation_answer_of(i, case when i.lease_until < lease_before then 1 else 0 end);
  if p_key is not null then perform keep_answer(p_key_operator, p_agent_part, p_key, 200, answer.snapshot, null); end if;
  return answer;
end $$;
