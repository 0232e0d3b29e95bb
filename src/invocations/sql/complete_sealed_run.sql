-- Delivers the output of an execution: its steps are charged, and the price that stays held becomes the provider's.
create function complete_sealed_run(i invocations, p_output text, p_output_hash text, p_transfer text) returns void language plpgsql as $$
begin
  perform lock_sealed_runs(i.consumer_operator_id);
  i.compute_cents := settle_sealed_run(i, true);
  update invocations set status = 'completed', output = p_output, output_hash = p_output_hash, completed_at = clock_timestamp(),
      compute_cents = i.compute_cents
    where id = i.id returning * into i;
  insert into audit_events (operator_id, actor, action, target) values (i.provider_operator_id, 'service', 'invocation.completed', i.id);
  perform record_invocation_event(i, 'invocation.completed');
  perform wake_life('invocation:' || i.id, i.consumer_operator_id);
  perform capture_price(i, p_transfer);
  perform wake_waiting_run(i.consumer_operator_id);
end $$;
