-- Refuses what providers do with invocations that wait for them.
create function refuse_service_executed(i invocations) returns void language plpgsql as $$
begin
  if i.execution_mode <> 'open' then
    perform refuse('SERVICE_EXECUTED', 'The service executes this skill itself; there is nothing for its provider to claim or to deliver.');
  end if;
end $$;
