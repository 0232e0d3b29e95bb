-- Wakes the executions of a consumer that wait longest, one for each place that is free: when one of theirs has ended, and when one that
-- waited is given up, since it may have been the one that was woken. Under the lock of the consumer, so that no place stays free unseen.
create function wake_waiting_run(p_operator text) returns void language plpgsql as $$
declare v_running int; v_next text;
begin
  perform lock_sealed_runs(p_operator);
  v_running := running_sealed_runs(p_operator);
  for v_next in select id from invocations
    where consumer_operator_id = p_operator and execution_mode <> 'open' and status = 'pending'
    order by id limit greatest(0, most_sealed_runs() - v_running)
  loop
    perform wake_life('invocation:' || v_next, p_operator);
  end loop;
end $$;
