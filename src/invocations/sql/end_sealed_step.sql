-- Writes the outcome of a step, once an attempt, and ends the invocation with the last step and with one that failed. False: somebody else
-- has ended it, or the invocation is over or past its deadline; then it is not charged. `p_result` has the columns of sealed_steps that the
-- run found out, and `asked`: a provider took the question of a model step.
create function end_sealed_step(
  p_invocation text, p_index int, p_attempt int, p_result jsonb, p_is_last boolean, p_output_hash text, p_transfer text
) returns boolean language plpgsql as $$
declare i invocations; s sealed_steps; r sealed_steps := jsonb_populate_record(null::sealed_steps, p_result);
begin
  select * into i from invocations where id = p_invocation for no key update;
  if not found then return false; end if;
  if i.status = 'processing' and i.expires_at <= clock_timestamp() then i := expire_invocation(i); end if;
  update sealed_steps set status = case when r.error_code is null then 'done' else 'failed' end, ended_at = clock_timestamp(),
      cost_microcents = case when i.status = 'processing' then r.cost_microcents end, duration_ms = r.duration_ms, model_call = r.model_call,
      output = case when p_is_last then null else r.output end,
      error_code = r.error_code, error_message = r.error_message, console = r.console
    where invocation_id = p_invocation and step_index = p_index and status = 'running' and attempt = p_attempt returning * into s;
  if not found then return false; end if;
  if s.seller_month is not null then
    perform end_seller_call(i.skill_id, s.seller_month, s.seller_most_microcents, r.cost_microcents,
      coalesce((p_result ->> 'asked')::boolean, true));
  end if;
  if s.kind = 'llm' and s.key_source = 'platform' and r.cost_microcents is null then perform count_unanswered_call(i); end if;
  if i.status <> 'processing' then return false; end if;
  if s.error_code is not null then
    perform fail_sealed_run(i, 'failed', p_index, s.error_code, s.error_message);
  elsif p_is_last then
    perform complete_sealed_run(i, r.output, p_output_hash, p_transfer);
  end if;
  return true;
end $$;
