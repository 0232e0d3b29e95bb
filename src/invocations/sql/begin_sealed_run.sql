-- Starts the execution of a pending invocation, unless its consumer has as many under way as one may have: then it waits its turn, and an
-- execution that ends wakes it. Under a lock of the consumer, so that neither is missed. The time of a run begins here (decision K59).
create function begin_sealed_run(i invocations) returns invocations language plpgsql as $$
begin
  perform lock_sealed_runs(i.consumer_operator_id);
  if running_sealed_runs(i.consumer_operator_id) >= most_sealed_runs() then return i; end if;
  update invocations set status = 'processing', attempt = attempt + 1, claimed_at = clock_timestamp(),
      expires_at = clock_timestamp() + interval '15 minutes'
    where id = i.id returning * into i;
  insert into audit_events (operator_id, actor, action, target) values (i.provider_operator_id, 'service', 'invocation.execution_began', i.id);
  return i;
end $$;
