-- One step of an invocation's life: does what is due by the row and by Postgres' clock.
create function advance_invocation(p_invocation text) returns invocation_step language plpgsql as $$
declare i invocations; was text; still_open boolean;
begin
  perform begin_look('invocation:' || p_invocation);
  select * into i from invocations where id = p_invocation for no key update;
  if not found then return row('gone', false, false, null, 0, null, null, null, null)::invocation_step; end if;
  was := i.status;
  if i.status in ('pending', 'processing') and i.expires_at <= clock_timestamp() then
    i := expire_invocation(i);
  elsif i.status = 'processing' and i.lease_until <= clock_timestamp() then
    update invocations set status = 'pending', lease_until = null where id = p_invocation returning * into i;
    insert into audit_events (operator_id, actor, action, target, detail)
      values (i.provider_operator_id, 'service', 'invocation.lease_lapsed', p_invocation, jsonb_build_object('attempt', i.attempt));
  end if;
  if i.status = 'pending' and i.execution_mode <> 'open' then i := begin_sealed_run(i); end if;
  still_open := i.status in ('pending', 'processing');
  if i.status = 'completed' and not i.self_invocation and not i.followed_up then
    perform count_completed_invocation(i.skill_id, i.consumer_operator_id);
  end if;
  if not still_open and not i.followed_up then update invocations set followed_up = true where id = p_invocation; end if;
  perform look_again('invocation:' || p_invocation, i.consumer_operator_id,
    case when still_open then least(i.expires_at, i.lease_until) + interval '1 second' end);
  return row(i.status, still_open, i.status <> was,
    case when still_open then
      ms_until(least(i.expires_at, i.lease_until)) end,
    i.attempt, iso_time(i.expires_at), iso_time(i.lease_until), i.provider_operator_id,
    case when i.status = 'processing' and i.execution_mode <> 'open' then
      (select count(*)::int from sealed_steps where invocation_id = p_invocation and status = 'done') end)::invocation_step;
end $$;
