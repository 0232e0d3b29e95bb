-- Invocations leave claims, and are made with passports.

-- What the service says of an invocation (decisions L24, L27): that it was submitted, and how it ended. Claiming says nothing;
-- expiring is failing with the error EXPIRED. JCS: the members stand in their order.
create function invocation_payload(i invocations) returns text language sql stable as $$
  select '{"at":' || floor(extract(epoch from coalesce(i.completed_at, i.created_at)))
    || case when i.completed_at is null then '' else
      ',"cost_actual":{"tokens":0,"wallet_cents":' || case i.status when 'completed' then i.price_cents else 0 end || '}' end
    || coalesce(',"duration_ms":' || floor(extract(epoch from i.completed_at - i.claimed_at) * 1000)::bigint, '')
    || coalesce(',"error":' || i.error, '')
    || ',"execution_mode":' || jcs_text(i.execution_mode)
    || ',"input_hash":' || jcs_text(i.input_hash)
    || ',"invocation_id":' || jcs_text(i.id)
    || coalesce(',"output_hash":' || to_json(i.output_hash)::text, '')
    || ',"provider_operator_id":' || jcs_text(i.provider_operator_id)
    || ',"skill_id":' || jcs_text(i.skill_id)
    || ',"status":' || case i.status when 'pending' then '"submitted"' when 'completed' then '"completed"' else '"failed"' end
    || ',"type":"skill_invocation"}';
$$;

-- In the transaction of whatever makes or ends an invocation, by whichever door, and before the wallet is locked.
create function claim_what_became_of_it() returns trigger language plpgsql as $$
begin
  perform issue_claim('skill_invocation', 'carnet://invocation/' || new.id, invocation_payload(new), new.agent_id, null,
    array[new.consumer_operator_id, new.provider_operator_id]);
  return null;
end $$;
create trigger invocation_begins after insert on invocations for each row execute function claim_what_became_of_it();
create trigger invocation_ends after update of status on invocations for each row
  when (old.completed_at is null and new.completed_at is not null) execute function claim_what_became_of_it();

-- The agent that invokes: the one that is named, or the passport's (decisions K26, A10). Null: none.
create function invoking_agent(p_operator text, p_agent text, p_passport text) returns agents language plpgsql as $$
declare
  holder text := case when p_passport is not null then assert_passport_usable(p_operator, p_passport) end;
  agent agents;
begin
  if p_passport is not null and holder is null then
    perform refuse_field('passport_id', 'must be a passport of yours');
  end if;
  if holder <> p_agent then
    perform refuse_field('passport_id', format('belongs to the agent %s, not to %s', holder, p_agent));
  end if;
  if p_agent is null and holder is null then return null; end if;
  select * into agent from agents where id = coalesce(p_agent, holder) and operator_id = p_operator;
  if not found or agent.status = 'disabled' then
    perform refuse_field(case when p_agent is null then 'passport_id' else 'agent_id' end, 'must be an active agent of yours');
  end if;
  if agent.status = 'blocked' then
    perform refuse('AGENT_BLOCKED', format('The agent %s is blocked; an administrator unblocks it.', agent.id));
  end if;
  return agent;
end $$;

-- As before, with a passport.
create or replace function invoke_skill(
  p_operator text, p_agent_part text, p_actor text, p_key text, p_fingerprint bytea, p_request text,
  p_invocation text, p_hold text, p_skill text, p_revision int, p_input text, p_input_hash text, p_input_fits boolean,
  p_agent text, p_passport text, p_api_key text, p_api_key_limit bigint, p_ttl_seconds double precision, p_max_price bigint
) returns invocation_answer language plpgsql as $$
declare
  stored idempotency_keys;
  skill record;
  agent agents;
  created invocations;
  answer invocation_answer;
  required int;
  effective int;
  moment timestamptz;
begin
  stored := take_idempotency_key(p_operator, p_agent_part, p_key, p_fingerprint);
  if stored.status is not null then return replay_invocation_answer(stored); end if;

  select s.operator_id, s.status, s.approved_at, s.execution_mode, s.trust_level_required, s.price_per_invocation, s.version, s.revision,
      o.status as owner_status
    into skill from skills s join operators o on o.id = s.operator_id where s.id = p_skill;
  if not found or not (skill.operator_id = p_operator or skill.status in ('active', 'unlisted')
      or (skill.status = 'suspended' and skill.approved_at is not null)) then
    perform refuse('NOT_FOUND', 'There is no such skill, or this credential may not see it.');
  end if;
  if p_agent is not null or p_passport is not null then agent := invoking_agent(p_operator, p_agent, p_passport); end if;
  if skill.status not in ('active', 'unlisted') or skill.owner_status <> 'active' then
    perform refuse('SKILL_NOT_ACTIVE', 'The skill cannot be invoked now: '
      || case when skill.owner_status = 'active' then 'it is ' || skill.status else 'its operator is suspended' end || '.');
  end if;
  if skill.execution_mode <> 'open' then
    perform refuse('EXECUTION_UNAVAILABLE', 'Skills that the service itself executes cannot be invoked yet; nothing was held.');
  end if;

  moment := clock_timestamp();
  created.price_cents := case when skill.operator_id = p_operator then 0 else skill.price_per_invocation end;
  if created.price_cents > p_max_price then
    perform refuse('PRICE_CHANGED', format('The skill costs %s cents now, more than your max_price_cents.', created.price_cents),
      json_build_object('price_cents', created.price_cents));
  end if;
  required := substr(skill.trust_level_required, 2)::int;
  if required > 0 then
    effective := trust_level_of(p_operator, agent.id);
    if effective < required then
      perform refuse('TRUST_LEVEL_INSUFFICIENT',
        format('The skill asks for trust level L%s and your identity claims give L%s.', required, effective),
        json_build_object('required', 'L' || required, 'effective', 'L' || effective));
    end if;
  end if;
  if skill.revision is distinct from p_revision then
    raise exception using errcode = 'CN001', message = 'the skill has another revision than the one the input was checked against';
  end if;
  if not p_input_fits then
    perform refuse('INPUT_SCHEMA_MISMATCH', 'The input does not match the input schema of the skill.');
  end if;

  insert into invocations (id, skill_id, skill_revision, skill_version, execution_mode, consumer_operator_id, provider_operator_id,
      agent_id, passport_id, api_key_id, price_cents, self_invocation, input, input_hash, created_at, expires_at)
    values (p_invocation, p_skill, skill.revision, skill.version, skill.execution_mode, p_operator, skill.operator_id,
      agent.id, p_passport, p_api_key, created.price_cents, skill.operator_id = p_operator, p_input, p_input_hash, moment,
      moment + make_interval(secs => p_ttl_seconds))
    returning * into created;
  insert into audit_events (operator_id, actor, action, target, request_id)
    values (p_operator, p_actor, 'invocation.created', p_invocation, p_request);
  perform wake_life('invocation:' || p_invocation, 'invoked');
  answer := invocation_answer_of(created, 1);
  if p_key is not null then
    perform keep_answer(p_operator, p_agent_part, p_key, 201, answer.snapshot, '/v1/skills/invocations/' || p_invocation);
  end if;
  if created.price_cents > 0 then
    if agent.id is not null then perform count_agent_spending(agent.id, created.price_cents, agent.monthly_limit_cents, moment); end if;
    if p_api_key is not null then perform count_agent_spending(p_api_key, created.price_cents, p_api_key_limit, moment); end if;
    perform hold_wallet(p_hold, p_operator, created.price_cents, p_invocation);
  end if;
  return answer;
end $$;
