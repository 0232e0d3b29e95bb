-- Wakes the execution of the consumer that waits longest, when there is a place for it.
create function wake_waiting_run(p_operator text) returns void language plpgsql as $$
declare v_next text;
begin
  select id into v_next from invocations
    where consumer_operator_id = p_operator and execution_mode <> 'open' and status = 'pending' order by id limit 1;
  if found then perform wake_life('invocation:' || v_next, p_operator); end if;
end $$;
