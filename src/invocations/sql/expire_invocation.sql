-- Ends an invocation whose time to live is over.
create function expire_invocation(i invocations) returns invocations language plpgsql as $$
begin
  i := end_invocation(i, 'expired', '{"code":"EXPIRED","message":"The time to live was over before it was completed."}',
    i.consumer_operator_id, 'service', 'invocation.expired', null);
  perform return_held_price(i);
  return i;
end $$;
