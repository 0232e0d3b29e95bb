-- Starts the execution of a pending invocation, unless its consumer has as many under way as one may have: then it waits its turn, and an
-- execution that ends wakes it. Under a lock of the consumer, so that neither is missed. Several may have ended before the one that they
-- woke begins here: where places are left it wakes the next. The time of a run begins here, since a queue would use up the time of the work. What
-- cannot be invoked any more does not begin: the skill was taken down, or its operator suspended.
create function begin_sealed_run(i invocations) returns invocations language plpgsql as $$
declare v_running int;
begin
  if not exists (select from skill_offers where id = i.skill_id and owner_status = 'active' and (i.trial or status in ('active', 'unlisted'))) then
    i := end_invocation(i, 'failed', '{"code":"SKILL_NOT_ACTIVE","message":"The skill was taken offline before its execution began."}',
      i.consumer_operator_id, 'service', 'invocation.failed', null);
    perform return_held_price(i);
    return i;
  end if;
  perform lock_sealed_runs(i.consumer_operator_id);
  select count(*) into v_running from (
    select from invocations where consumer_operator_id = i.consumer_operator_id and execution_mode <> 'open' and status = 'processing'
    limit most_sealed_runs()) as under_way;
  if v_running >= most_sealed_runs() then return i; end if;
  update invocations set status = 'processing', attempt = attempt + 1, claimed_at = clock_timestamp(),
      expires_at = clock_timestamp() + interval '15 minutes'
    where id = i.id returning * into i;
  insert into audit_events (operator_id, actor, action, target) values (i.provider_operator_id, 'service', 'invocation.execution_began', i.id);
  if v_running + 1 < most_sealed_runs() then perform wake_waiting_run(i.consumer_operator_id); end if;
  return i;
end $$;
