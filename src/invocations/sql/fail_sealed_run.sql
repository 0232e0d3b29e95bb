-- Ends an execution that did not come to its end, as `failed` or `expired`: its steps are charged, the price goes back.
create function fail_sealed_run(i invocations, p_status text, p_index int, p_code text, p_message text) returns void language plpgsql as $$
begin
  perform lock_sealed_runs(i.consumer_operator_id);
  update sealed_steps set status = 'failed', ended_at = clock_timestamp(), error_code = p_code, error_message = p_message
    where invocation_id = i.id and status = 'running';
  i.compute_cents := settle_sealed_run(i, false);
  update invocations set compute_cents = i.compute_cents where id = i.id;
  perform end_invocation(i, p_status,
    '{"code":' || jcs_text(p_code) || ',"message":' || jcs_text(format('Step %s: %s', p_index, p_message)) || '}',
    i.consumer_operator_id, 'service', 'invocation.' || p_status, null);
  perform wake_life('invocation:' || i.id, i.consumer_operator_id);
end $$;
