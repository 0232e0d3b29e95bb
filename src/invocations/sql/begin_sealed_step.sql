-- Writes a step before it runs, and returns its input. `over`: there is nothing to run any more. A script that was interrupted runs again,
-- twice at most, since it has no effect outside; a model that was asked is never asked again. `p_provider` and the most that the call can
-- cost: of a model.
create function begin_sealed_step(
  p_invocation text, p_index int, p_kind text, p_step text, p_provider text, p_most_microcents bigint
) returns sealed_step_begun language plpgsql as $$
declare
  most_attempts constant int := 3;
  i invocations; s sealed_steps; begun sealed_step_begun; v_code text; v_detail text;
begin
  begun.state := 'over';
  select * into i from invocations where id = p_invocation for no key update;
  if not found or i.status <> 'processing' or i.expires_at <= clock_timestamp() then return begun; end if;
  if p_index > 0 and not exists (select from sealed_steps where invocation_id = i.id and step_index = p_index - 1 and status = 'done') then
    return begun;
  end if;
  select * into s from sealed_steps where invocation_id = i.id and step_index = p_index;
  if found then
    if s.status <> 'running' then return begun; end if;
    if s.kind = 'llm' or s.attempt >= most_attempts then
      perform fail_sealed_run(i, 'failed', p_index, 'EXECUTION_INTERRUPTED', interrupted_sentence());
      return begun;
    end if;
    update sealed_steps set attempt = attempt + 1, began_at = clock_timestamp() where invocation_id = i.id and step_index = p_index returning * into s;
  else
    insert into sealed_steps (invocation_id, step_index, id, kind, status)
      values (i.id, p_index, p_step, p_kind, 'running') returning * into s;
    if p_kind = 'llm' then
      begin
        s := take_model_key(i, s, p_provider, p_most_microcents);
      exception when sqlstate 'CN000' then
        get stacked diagnostics v_code = message_text, v_detail = pg_exception_detail;
        perform fail_sealed_run(i, 'failed', p_index, v_code, v_detail::json ->> 'detail');
        return begun;
      end;
      if s.key_source = 'platform' and has_too_many_unanswered(i.consumer_operator_id) then
        perform fail_sealed_run(i, 'failed', p_index, 'MODEL_UNAVAILABLE',
          'Too many calls of yours got no answer that could be used in this hour; invoke it in the next one.');
        return begun;
      end if;
    end if;
  end if;
  begun.state := 'run';
  begun.attempt := s.attempt;
  begun.key_source := s.key_source;
  begun.input := case when p_index = 0 then i.input
    else (select output from sealed_steps where invocation_id = i.id and step_index = p_index - 1) end;
  return begun;
end $$;
