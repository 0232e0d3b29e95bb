-- Creates an invocation and holds its price, and beside it the most that its execution can cost (`p_compute_bound`, null: that is not known). `p_input_fits` says whether the input matches the input schema of revision
-- `p_revision`; when the skill has another revision by now, CN004 makes the caller check again. What is over the tier's
-- allowance is charged after the budgets and before the hold: budgets come before the usage counter, and that before the
-- wallet (rule 12). `p_by_passport`: the passport is the credential, and nobody has shown a key.
create function invoke_skill(
  p_operator text, p_agent_part text, p_actor text, p_key text, p_fingerprint bytea, p_request text,
  p_invocation text, p_hold text, p_skill text, p_revision int, p_input text, p_input_hash text, p_input_fits boolean,
  p_agent text, p_passport text, p_api_key text, p_api_key_limit bigint, p_ttl_seconds double precision, p_max_price bigint,
  p_mission text default null, p_compute_bound bigint default 0, p_trial boolean default false,
  p_model_calls jsonb default '[]', p_by_passport boolean default false
) returns invocation_answer language plpgsql as $$
declare
  skill admitted_invocation;
  created invocations;
  answer invocation_answer;
  moment timestamptz;
  promised bigint;
  purpose passport_purposes;
begin
  answer := replay_invocation_answer(p_operator, p_agent_part, p_key, p_fingerprint);
  if answer.replayed then return answer; end if;

  if p_by_passport then perform assert_bearer_may_invoke(p_operator, p_passport); end if;
  skill := admit_invocation(p_operator, p_skill, p_agent, p_passport, p_mission, p_max_price, p_trial);
  moment := clock_timestamp();
  if skill.revision is distinct from p_revision then
    raise exception using errcode = 'CN004', message = 'the skill has another revision than the one the input was checked against';
  end if;
  if skill.execution_mode <> 'open' and p_compute_bound is null then
    perform refuse('EXECUTION_UNAVAILABLE', 'The skill asks a model that this service does not offer now; nothing was held.');
  end if;
  perform refuse_model_calls(p_operator, p_skill, p_model_calls);
  if not p_input_fits then
    perform refuse('INPUT_SCHEMA_MISMATCH', 'The input does not match the input schema of the skill.');
  end if;

  if p_passport is not null then select * into purpose from passport_purposes where jti = p_passport; end if;
  insert into invocations (id, skill_id, skill_revision, skill_version, execution_mode, consumer_operator_id, provider_operator_id,
      agent_id, passport_id, mission_id, api_key_id, price_cents, self_invocation, input, input_hash, created_at, expires_at,
      compute_bound_cents, trial, budgets)
    values (p_invocation, p_skill, skill.revision, skill.version, skill.execution_mode, p_operator, skill.provider_operator_id,
      skill.agent_id, p_passport, coalesce(p_mission, purpose.mission_id), p_api_key, skill.price_cents,
      skill.provider_operator_id = p_operator, p_input, p_input_hash, moment, moment + make_interval(secs => p_ttl_seconds),
      case skill.execution_mode when 'open' then 0 else p_compute_bound end, p_trial, purpose.budgets)
    returning * into created;
  insert into audit_events (operator_id, actor, action, target, request_id)
    values (p_operator, p_actor, 'invocation.created', p_invocation, p_request);
  perform record_invocation_event(created, 'invocation.created');
  perform wake_life('invocation:' || p_invocation, p_operator);
  answer := invocation_answer_of(created, 1);
  if p_key is not null then
    perform keep_answer(p_operator, p_agent_part, p_key, 201, answer.snapshot, '/v1/skills/invocations/' || p_invocation);
  end if;
  promised := created.price_cents + created.compute_bound_cents;
  if promised > 0 then
    if skill.agent_id is not null then perform count_agent_spending(skill.agent_id, promised, skill.agent_limit, moment); end if;
    if p_api_key is not null then perform count_agent_spending(p_api_key, promised, p_api_key_limit, moment); end if;
    if created.budgets is not null then perform count_passport_spending(created.budgets, promised); end if;
  end if;
  perform meter_action(p_operator, 'invocation');
  if promised > 0 then
    perform hold_wallet(p_hold, p_operator, promised, p_invocation,
      case when created.compute_bound_cents > 0 then
        jsonb_build_object('price_cents', created.price_cents, 'compute_bound_cents', created.compute_bound_cents) end);
  end if;
  return answer;
end $$;
