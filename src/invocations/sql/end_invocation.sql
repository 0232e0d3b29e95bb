-- An end without output, which makes way for an execution that waits; `p_action` is the audit event and the event that operators may be notified of. The caller gives the money back as its last step, since the wallet is the hottest lock.
create function end_invocation(
  i invocations, p_status text, p_error text, p_operator text, p_actor text, p_action text, p_request text
) returns invocations language plpgsql as $$
begin
  update invocations set status = p_status, error = p_error, completed_at = clock_timestamp(), lease_until = null
    where id = i.id returning * into i;
  insert into audit_events (operator_id, actor, action, target, request_id) values (p_operator, p_actor, p_action, i.id, p_request);
  perform record_invocation_event(i, p_action);
  if i.execution_mode <> 'open' then perform wake_waiting_run(i.consumer_operator_id); end if;
  return i;
end $$;
