-- Ends an invocation whose time to live is over.
create function expire_invocation(i invocations) returns invocations language plpgsql as $$
begin
  if i.execution_mode <> 'open' and i.status = 'processing' then
    perform fail_sealed_run(i, 'expired', (select count(*)::int from sealed_steps where invocation_id = i.id and status <> 'running'),
      'EXECUTION_TIME_LIMIT', 'The execution took longer than 15 minutes.');
    select * into i from invocations where id = i.id;
    return i;
  end if;
  i := end_invocation(i, 'expired', '{"code":"EXPIRED","message":"The time to live was over before it was completed."}',
    i.consumer_operator_id, 'service', 'invocation.expired', null);
  perform return_held_price(i);
  return i;
end $$;
