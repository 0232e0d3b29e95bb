-- What is counted and what it costs: metered actions, the month they fall in, the mission a charge came of; and what other domains show of
-- themselves to a statement.

-- The mission an invocation is for (decisions B24). Null: none.
alter table invocations add column mission_id text;

-- For statements, which name what was paid for: nothing here that a statement may not show.
create view invocation_references as select id, status, skill_id, mission_id from invocations;
create view skill_names as select id, name from skills;
create view mission_intents as select id, declared_intent from missions;
create view agent_names as select id, name from agents;
-- What a passport was issued for: its mission where it is one, and its intent in words (decisions B24).
create view passport_purposes as
  select p.jti, case when cardinality(l.mission_ids) = 1 then l.mission_ids[1] end as mission_id, l.intent::json ->> 'summary' as summary
  from passports p join passport_lineages l on l.id = p.lineage_id;

-- What an operator used of a meter in a UTC month (decisions B25). Nothing is ever reset: a month without a row is a month without use.
create table usage_counters (
  operator_id text not null references operators,
  meter text not null check (meter in ('metered_action', 'l3', 'sms', 'email')),
  month date not null,
  used bigint not null default 0,
  overage bigint not null default 0,     -- of them charged to the wallet
  -- Of the metered actions, since nobody can count a month of them when he is asked.
  passports bigint not null default 0,   -- issued, delegated and refreshed
  invocations bigint not null default 0,
  primary key (operator_id, meter, month),
  constraint usage_counters_overage check (overage between 0 and used)
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 100, autovacuum_vacuum_cost_delay = 0);

-- Counts a metered action (decisions B4) in the transaction that does it, so that what is refused or repeated counts nothing. Over the
-- allowance of the tier that the operator has now it costs 10,000 microcents; reports of agents are counted and never charged (B5).
create function meter_action(p_operator text, p_action text) returns void language plpgsql as $$
declare
  v_month constant date := utc_month(clock_timestamp());
  v_charged boolean;
begin
  loop
    update usage_counters c set used = c.used + 1,
        overage = c.overage + coalesce(c.used >= t.metered_actions and p_action not in ('checkpoint', 'checkout'), false)::int,
        passports = c.passports + (p_action = 'passport')::int,
        invocations = c.invocations + (p_action = 'invocation')::int
      from operators o join tiers t on t.name = o.tier
      where o.id = p_operator and c.operator_id = p_operator and c.meter = 'metered_action' and c.month = v_month
      returning c.used > t.metered_actions and p_action not in ('checkpoint', 'checkout') into v_charged;
    exit when found;
    insert into usage_counters (operator_id, meter, month) values (p_operator, 'metered_action', v_month) on conflict do nothing;
  end loop;
  if v_charged then perform charge_overage(p_operator); end if;
end $$;

-- One metered action over the allowance; a hundred of them are a cent.
create function charge_overage(p_operator text) returns void language plpgsql as $$
declare cost constant bigint := 10000;
begin
  if not covers_charge(p_operator, cost) then perform refuse_overage(p_operator, cost); end if;
  if charge_meter(new_prefixed_id('txn'), p_operator, 'metered_action', cost, 'overage', 'Metered actions over the monthly allowance') is null then
    perform refuse_overage(p_operator, cost);
  end if;
end $$;

-- The cents that are required hold what every meter has charged and not yet debited, too.
create function refuse_overage(p_operator text, p_cost bigint) returns void language plpgsql as $$
declare available bigint; owed bigint; required bigint;
begin
  select posted_cents - held_cents, receivable_cents,
      ceil((p_cost + coalesce((select sum(charged_microcents - debited_cents * 1000000) from wallet_remainders where operator_id = p_operator), 0))
        / 1000000)
    into strict available, owed, required from wallets where operator_id = p_operator;
  if owed > 0 then perform refuse_owing(required, available, owed); end if;
  perform refuse('INSUFFICIENT_CREDITS',
    format('The metered actions that the tier includes in a month are used up. Each further one costs a hundredth of a cent from the wallet, '
      || 'which has %s cents available; top it up, or take a higher tier, and send the request again.', available),
    json_build_object('required_cents', required, 'balance_cents', available));
end $$;

-- Rows of passports and checkouts; the argument is the action.
create function meter_row() returns trigger language plpgsql as $$
begin
  perform meter_action(new.operator_id, tg_argv[0]);
  return null;
end $$;

create trigger passports_metered after insert on passports for each row execute function meter_row('passport');

-- A checkout that was missed has a row before the agent's report fills it.
create trigger checkouts_metered after insert on checkouts for each row when (new.submitted_at is not null) execute function meter_row('checkout');
create trigger checkouts_reported after update of submitted_at on checkouts for each row
  when (old.submitted_at is null and new.submitted_at is not null) execute function meter_row('checkout');

create function meter_checkpoint() returns trigger language plpgsql as $$
begin
  perform meter_action((select operator_id from passport_lineages where id = new.lineage_id), 'checkpoint');
  return null;
end $$;
create trigger checkpoints_metered after insert on checkpoints for each row execute function meter_checkpoint();

-- What an operator submits, not what the service says by itself. At the commit: submitting takes several statements, and until the end of
-- the transaction the counter is held against everything else that the operator does.
create function meter_claim() returns trigger language plpgsql as $$
begin
  perform meter_action(new.issuer, 'claim');
  return null;
end $$;
create constraint trigger claims_metered after insert on claims deferrable initially deferred
  for each row when (new.issuer <> 'op_platform') execute function meter_claim();

-- A mission that is named must be open, the operator's, and the agent's where one invokes and the mission is some agent's.
create function refuse_mission(p_operator text, p_agent text, p_mission text) returns void language plpgsql as $$
begin
  if not exists (select from missions m where m.id = p_mission and m.operator_id = p_operator
      and (p_agent is null or m.agent_id is null or m.agent_id = p_agent)
      and mission_status(m.completed_at, m.expires_at) = 'active') then
    perform refuse_field('mission_id', format('%s is not an active mission of yours, or not of this agent', p_mission));
  end if;
end $$;

-- As before, with the mission.
create or replace function invocation_snapshot(i invocations) returns text language sql stable as $$
  select json_build_object(
    'id', i.id, 'skill_id', i.skill_id, 'skill_version', i.skill_version, 'skill_revision', i.skill_revision, 'status', i.status,
    'execution_mode', i.execution_mode, 'input_hash', i.input_hash, 'output_hash', i.output_hash, 'error', i.error::json,
    'consumer_operator_id', i.consumer_operator_id, 'provider_operator_id', i.provider_operator_id, 'agent_id', i.agent_id,
    'passport_id', i.passport_id, 'mission_id', i.mission_id, 'price_cents', i.price_cents, 'self_invocation', i.self_invocation,
    'attempt', i.attempt, 'lease_seconds', i.lease_seconds, 'lease_until', iso_time(i.lease_until), 'created_at', iso_time(i.created_at),
    'claimed_at', iso_time(i.claimed_at), 'completed_at', iso_time(i.completed_at), 'expires_at', iso_time(i.expires_at),
    'duration_ms', floor(extract(epoch from i.completed_at - i.claimed_at) * 1000)::bigint)::text;
$$;
create or replace function invocation_payload(i invocations) returns text language sql stable as $$
  select '{"at":' || floor(extract(epoch from coalesce(i.completed_at, i.created_at)))
    || case when i.completed_at is null then '' else
      ',"cost_actual":{"tokens":0,"wallet_cents":' || case i.status when 'completed' then i.price_cents else 0 end || '}' end
    || coalesce(',"duration_ms":' || floor(extract(epoch from i.completed_at - i.claimed_at) * 1000)::bigint, '')
    || coalesce(',"error":' || i.error, '')
    || ',"execution_mode":' || jcs_text(i.execution_mode)
    || ',"input_hash":' || jcs_text(i.input_hash)
    || ',"invocation_id":' || jcs_text(i.id)
    || coalesce(',"mission_ref":' || to_json(i.mission_id)::text, '')
    || coalesce(',"output_hash":' || to_json(i.output_hash)::text, '')
    || ',"provider_operator_id":' || jcs_text(i.provider_operator_id)
    || ',"skill_id":' || jcs_text(i.skill_id)
    || ',"status":' || case i.status when 'pending' then '"submitted"' when 'completed' then '"completed"' else '"failed"' end
    || ',"type":"skill_invocation"}';
$$;
create or replace function claim_what_became_of_it() returns trigger language plpgsql as $$
begin
  perform issue_claim('skill_invocation', 'carnet://invocation/' || new.id, invocation_payload(new), new.agent_id, new.mission_id,
    array[new.consumer_operator_id, new.provider_operator_id]);
  return null;
end $$;

-- As before, and: for a mission, and counted. What is over the allowance is charged after the budgets and before the hold, since budgets come
-- before the usage counter, and that before the wallet (architecture rule 12).
drop function invoke_skill(text, text, text, text, bytea, text, text, text, text, int, text, text, boolean, text, text, text, bigint,
  double precision, bigint);
create function invoke_skill(
  p_operator text, p_agent_part text, p_actor text, p_key text, p_fingerprint bytea, p_request text,
  p_invocation text, p_hold text, p_skill text, p_revision int, p_input text, p_input_hash text, p_input_fits boolean,
  p_agent text, p_passport text, p_api_key text, p_api_key_limit bigint, p_ttl_seconds double precision, p_max_price bigint,
  p_mission text default null
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
  if p_mission is not null then perform refuse_mission(p_operator, agent.id, p_mission); end if;
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
      agent_id, passport_id, mission_id, api_key_id, price_cents, self_invocation, input, input_hash, created_at, expires_at)
    values (p_invocation, p_skill, skill.revision, skill.version, skill.execution_mode, p_operator, skill.operator_id,
      agent.id, p_passport, coalesce(p_mission, (select mission_id from passport_purposes where jti = p_passport)), p_api_key, created.price_cents,
      skill.operator_id = p_operator, p_input, p_input_hash, moment, moment + make_interval(secs => p_ttl_seconds))
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
  end if;
  perform meter_action(p_operator, 'invocation');
  if created.price_cents > 0 then perform hold_wallet(p_hold, p_operator, created.price_cents, p_invocation); end if;
  return answer;
end $$;

-- For usage (decisions B17): what an operator has now. Published is what can be invoked, listed or not.
create function count_agents(p_operator text) returns bigint language sql stable as $$
  select count(*) from agents where operator_id = p_operator;
$$;
create function count_published_skills(p_operator text) returns bigint language sql stable as $$
  select count(*) from skills where operator_id = p_operator and status in ('active', 'unlisted');
$$;

-- Deletes audit events older than the operator's tier keeps them (decisions B22, C8), p_limit at most, of operators after `p_after` and no
-- more than p_limit of them. Ids follow time, so an operator's oldest events are looked at and no others: `<=` and the order are those of
-- audit_events_of_operator read backwards, since with `=` the primary key could be walked to the first event of a quiet operator.
-- `next_after` is where to go on; null: everybody was looked at.
create function purge_audit_events(p_after text, p_limit int, out purged int, out next_after text) language plpgsql as $$
declare
  o record;
  looked int := 0;
  deleted int;
begin
  purged := 0;
  next_after := p_after;
  for o in
    select op.id, clock_timestamp() - t.audit_retention as kept_from,
      (select case e.operator_id when op.id then e.created_at end from audit_events e
        where e.operator_id <= op.id order by e.operator_id desc, e.id limit 1) as oldest
    from operators op join tiers t on t.name = op.tier
    where op.id > p_after order by op.id limit p_limit
  loop
    if o.oldest < o.kept_from then
      delete from audit_events where id in (
        select id from (
          select operator_id, id, created_at from audit_events
          where operator_id <= o.id order by operator_id desc, id limit p_limit - purged
        ) oldest where operator_id = o.id and created_at < o.kept_from);
      get diagnostics deleted = row_count;
      purged := purged + deleted;
      if purged >= p_limit then return; end if; -- and it may have more
    end if;
    next_after := o.id;
    looked := looked + 1;
  end loop;
  if looked < p_limit then next_after := null; end if;
end $$;
