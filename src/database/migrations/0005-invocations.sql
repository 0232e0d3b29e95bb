-- Invocations of skills (Market §3.2). Each command on them is one function and one transaction: idempotency row,
-- state, money, audit row, message for the life (architecture rule 13). Locks are taken in the order of rule 12, the
-- wallet last; whatever is read after a lock compares with clock_timestamp(), since now() is the start of the
-- transaction (rule 6).

create table invocations (
  id text primary key,
  skill_id text not null,
  skill_revision int not null,           -- whose schemas hold for input and output
  skill_version text not null,
  execution_mode text not null,
  status text not null default 'pending' check (status in ('pending', 'processing', 'completed', 'failed', 'expired')),
  consumer_operator_id text not null,
  provider_operator_id text not null,
  agent_id text,
  api_key_id text,                       -- the agent key that invoked, whose budget it counts against
  passport_id text,
  price_cents bigint not null check (price_cents >= 0),
  self_invocation boolean not null,
  attempt int not null default 0,        -- +1 each claim (decisions K47)
  lease_seconds double precision,
  lease_until timestamptz,
  input text not null,                   -- JSON as text: jsonb would change numbers (decisions K49)
  input_hash text not null,
  output text,
  output_hash text,
  error text,                            -- JSON {code, message}
  created_at timestamptz not null,
  claimed_at timestamptz,
  completed_at timestamptz,              -- the end, whichever it was
  expires_at timestamptz not null,
  life_seen_at timestamptz,              -- when its life last read it (rule 11)
  followed_up boolean not null default false, -- what follows the end was done
  constraint invocations_output_iff_completed check ((status = 'completed') = (output is not null)),
  constraint invocations_error_iff_ended_badly check ((status in ('failed', 'expired')) = (error is not null)),
  constraint invocations_end check ((status in ('pending', 'processing')) = (completed_at is null)),
  constraint invocations_lease check (lease_until is null or status = 'processing')
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_insert_scale_factor = 0.05);
-- Ids sort by creation, so they are the keyset of every list.
create index invocations_mine on invocations (consumer_operator_id, id);
create index invocations_provided on invocations (provider_operator_id, id);
-- What a provider may claim, now or once the lease has lapsed. By lease_seconds, which stays as it is between two claims: with
-- lease_until in an index a heartbeat would write to every index of the row.
create index invocations_claimable on invocations (provider_operator_id, id)
  where status = 'pending' or (status = 'processing' and lease_seconds is not null);
-- Whether a rating is a verified one: whoever rates has a completed invocation (decisions K18).
create index invocations_used on invocations (consumer_operator_id, skill_id) where status = 'completed' and not self_invocation;
create index invocations_open on invocations (expires_at) where status in ('pending', 'processing');

-- What agents and agent keys promised and spent in a UTC month (decisions K58); a released hold is taken back out.
create table agent_spending (
  subject text not null,                 -- ag_… or key_…
  month date not null,
  cents bigint not null default 0 check (cents >= 0),
  primary key (subject, month)
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02);

create function utc_month(p_at timestamptz) returns date language sql immutable as $$
  select date_trunc('month', p_at at time zone 'UTC')::date;
$$;

create function iso_time(p_at timestamptz) returns text language sql stable as $$
  select to_char(p_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"');
$$;

-- The invocation as the API shows it, without input and output: those are added from the row by whoever may see them.
create function invocation_snapshot(i invocations) returns text language sql stable as $$
  select json_build_object(
    'id', i.id, 'skill_id', i.skill_id, 'skill_version', i.skill_version, 'skill_revision', i.skill_revision, 'status', i.status,
    'execution_mode', i.execution_mode, 'input_hash', i.input_hash, 'output_hash', i.output_hash, 'error', i.error::json,
    'consumer_operator_id', i.consumer_operator_id, 'provider_operator_id', i.provider_operator_id, 'agent_id', i.agent_id,
    'passport_id', i.passport_id, 'price_cents', i.price_cents, 'self_invocation', i.self_invocation, 'attempt', i.attempt,
    'lease_seconds', i.lease_seconds, 'lease_until', iso_time(i.lease_until), 'created_at', iso_time(i.created_at),
    'claimed_at', iso_time(i.claimed_at), 'completed_at', iso_time(i.completed_at), 'expires_at', iso_time(i.expires_at),
    'duration_ms', floor(extract(epoch from i.completed_at - i.claimed_at) * 1000)::bigint)::text;
$$;

-- What a command answers: the snapshot, which is all that is kept under the Idempotency-Key, and from the row what it
-- lacks.
create type invocation_answer as (
  replayed boolean,
  snapshot text,
  input text,
  output text,                           -- of a completed snapshot only
  messages int
);

create function invocation_answer_of(i invocations, p_messages int) returns invocation_answer language sql stable as $$
  select row(false, invocation_snapshot(i), i.input, i.output, p_messages)::invocation_answer;
$$;

create function replay_invocation_answer(p_stored idempotency_keys) returns invocation_answer language sql stable as $$
  select row(true, p_stored.answer, i.input, case p_stored.answer::json ->> 'status' when 'completed' then i.output end, 0)::invocation_answer
  from invocations i where i.id = p_stored.answer::json ->> 'id';
$$;

-- A fault in one field of the body.
create function refuse_field(p_path text, p_message text) returns void language plpgsql as $$
begin
  perform refuse('VALIDATION_ERROR', p_path || ': ' || p_message,
    json_build_object('errors', json_build_array(json_build_object('path', p_path, 'message', p_message, 'code', 'invalid_reference'))));
end $$;

-- Counts a hold against the limit of the month of `p_at`; null: no limit, counted all the same. `p_at` is the created_at
-- of the invocation: by a clock of its own it could count in another month than give_back() takes it out of.
create function count_agent_spending(p_subject text, p_cents bigint, p_limit bigint, p_at timestamptz)
returns void language plpgsql as $$
declare used bigint;
begin
  insert into agent_spending as s (subject, month, cents) values (p_subject, utc_month(p_at), p_cents)
    on conflict (subject, month) do update set cents = s.cents + excluded.cents
    returning cents into used;
  if used > p_limit then
    perform refuse('AGENT_BUDGET_EXCEEDED',
      format('%s may spend %s cents a month and has used %s; this needs %s more. Raise its monthly_limit_cents or wait for the next month (UTC).',
        p_subject, p_limit, used - p_cents, p_cents),
      json_build_object('limit', p_limit, 'used', used - p_cents));
  end if;
end $$;

-- Gives back what an invocation that did not complete had promised: its budgets, then its hold.
create function give_back(i invocations) returns void language plpgsql as $$
begin
  if i.price_cents = 0 then return; end if;
  update agent_spending set cents = cents - i.price_cents
    where subject = i.agent_id and month = utc_month(i.created_at);
  update agent_spending set cents = cents - i.price_cents
    where subject = i.api_key_id and month = utc_month(i.created_at);
  perform release_hold(i.id);
end $$;

-- Creates an invocation and holds its price. `p_input_fits` says whether the input matches the input schema of revision
-- `p_revision`; when the skill has another revision by now, CN001 tells the caller to check again.
create function invoke_skill(
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
  if p_agent is not null then
    select * into agent from agents where id = p_agent and operator_id = p_operator;
    if not found or agent.status = 'disabled' then
      perform refuse_field('agent_id', 'must be an active agent of yours');
    end if;
    if agent.status = 'blocked' then
      perform refuse('AGENT_BLOCKED', format('The agent %s is blocked; an administrator unblocks it.', p_agent));
    end if;
  end if;
  if p_passport is not null then
    perform refuse_field('passport_id', 'is not a passport of yours; leave it out');
  end if;
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
    effective := trust_level_of(p_operator, p_agent);
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
      agent_id, api_key_id, price_cents, self_invocation, input, input_hash, created_at, expires_at)
    values (p_invocation, p_skill, skill.revision, skill.version, skill.execution_mode, p_operator, skill.operator_id,
      p_agent, p_api_key, created.price_cents, skill.operator_id = p_operator, p_input, p_input_hash, moment,
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
    if p_agent is not null then perform count_agent_spending(p_agent, created.price_cents, agent.monthly_limit_cents, moment); end if;
    if p_api_key is not null then perform count_agent_spending(p_api_key, created.price_cents, p_api_key_limit, moment); end if;
    perform hold_wallet(p_hold, p_operator, created.price_cents, p_invocation);
  end if;
  return answer;
end $$;

-- Locks the row for a command of one side. `p_authority` is the operator who calls, null for a signal from outside
-- (decisions K54).
create function lock_invocation(p_invocation text, p_authority text, p_side text) returns invocations language plpgsql as $$
declare i invocations;
begin
  select * into i from invocations where id = p_invocation for no key update;
  if not found or p_authority not in (i.consumer_operator_id, i.provider_operator_id) then
    perform refuse('NOT_FOUND', 'There is no such invocation, or this credential may not see it.');
  end if;
  if p_side = 'provider' and p_authority <> i.provider_operator_id then
    perform refuse('NOT_PROVIDER', 'Only the operator who owns the skill may do this.');
  end if;
  if p_side = 'consumer' and p_authority <> i.consumer_operator_id then
    perform refuse('NOT_OWNER', 'Only the operator who invoked the skill may do this.');
  end if;
  return i;
end $$;

-- The row's deadline decides, whether or not its timer has fired yet (decisions K33).
create function refuse_expired(i invocations) returns void language plpgsql as $$
begin
  if i.status = 'expired' or (i.status in ('pending', 'processing') and i.expires_at <= clock_timestamp()) then
    perform refuse('INVOCATION_EXPIRED', format('The invocation expired at %s.', iso_time(i.expires_at)),
      json_build_object('expires_at', iso_time(i.expires_at)));
  end if;
end $$;

create function refuse_other_attempt(i invocations, p_attempt int) returns void language plpgsql as $$
begin
  if p_attempt <> i.attempt then
    perform refuse('LEASE_LOST', format('The current attempt is %s, not %s: ', i.attempt, p_attempt)
        || case when p_attempt < i.attempt then 'the invocation was claimed again since.' else 'no claim has had that number yet.' end,
      json_build_object('attempt', i.attempt));
  end if;
end $$;

create function refuse_status(i invocations, p_wanted text) returns void language plpgsql as $$
begin
  perform refuse('INVOCATION_NOT_' || upper(p_wanted), format('The invocation is %s, not %s%s.', i.status, p_wanted,
    case when i.status = 'pending' then '; claim it first' when i.status = 'processing' then '; somebody has claimed it' else '; it has ended' end),
    json_build_object('current_status', i.status));
end $$;

-- Pending, or processing under a lease that has lapsed: the row's lease decides, not the timer.
create function is_claimable(i invocations) returns boolean language sql volatile as $$
  select i.status = 'pending' or (i.status = 'processing' and coalesce(i.lease_until <= clock_timestamp(), false));
$$;

create function claim_invocation(
  p_authority text, p_key_operator text, p_agent_part text, p_actor text, p_key text, p_fingerprint bytea, p_request text,
  p_invocation text, p_attempt int, p_lease_seconds double precision
) returns invocation_answer language plpgsql as $$
declare stored idempotency_keys; i invocations; answer invocation_answer; moment timestamptz;
begin
  stored := take_idempotency_key(p_key_operator, p_agent_part, p_key, p_fingerprint);
  if stored.status is not null then return replay_invocation_answer(stored); end if;
  i := lock_invocation(p_invocation, p_authority, 'provider');
  if i.execution_mode <> 'open' then
    perform refuse('SERVICE_EXECUTED', 'The service executes this skill itself; there is nothing to claim.');
  end if;
  perform refuse_expired(i);
  if not is_claimable(i) then perform refuse_status(i, 'pending'); end if;
  perform refuse_other_attempt(i, p_attempt);
  moment := clock_timestamp();
  update invocations set status = 'processing', attempt = attempt + 1, claimed_at = moment,
      lease_seconds = p_lease_seconds, lease_until = moment + make_interval(secs => p_lease_seconds)
    where id = p_invocation returning * into i;
  insert into audit_events (operator_id, actor, action, target, request_id)
    values (i.provider_operator_id, p_actor, 'invocation.claimed', p_invocation, p_request);
  if p_lease_seconds is not null then perform wake_life('invocation:' || p_invocation, 'leased'); end if;
  answer := invocation_answer_of(i, case when p_lease_seconds is null then 0 else 1 end);
  if p_key is not null then perform keep_answer(p_key_operator, p_agent_part, p_key, 200, answer.snapshot, null); end if;
  return answer;
end $$;

-- Delivers the output and moves the held price to the provider's earnings. `p_output_fits`: it matches the output
-- schema of the invocation's revision. The same output again changes nothing and answers the same.
create function complete_invocation(
  p_authority text, p_key_operator text, p_agent_part text, p_actor text, p_key text, p_fingerprint bytea, p_request text,
  p_invocation text, p_attempt int, p_output text, p_output_hash text, p_output_fits boolean, p_transfer text
) returns invocation_answer language plpgsql as $$
declare stored idempotency_keys; i invocations; answer invocation_answer; messages int := 0;
begin
  stored := take_idempotency_key(p_key_operator, p_agent_part, p_key, p_fingerprint);
  if stored.status is not null then return replay_invocation_answer(stored); end if;
  i := lock_invocation(p_invocation, p_authority, 'provider');
  perform refuse_expired(i);
  perform refuse_other_attempt(i, p_attempt);
  if i.status <> 'completed' or i.output_hash <> p_output_hash then
    if i.status <> 'processing' then perform refuse_status(i, 'processing'); end if;
    if not p_output_fits then
      perform refuse('OUTPUT_SCHEMA_MISMATCH', 'The output does not match the output schema of the skill; the invocation is still yours.');
    end if;
    update invocations set status = 'completed', output = p_output, output_hash = p_output_hash, completed_at = clock_timestamp(),
        lease_until = null
      where id = p_invocation returning * into i;
    insert into audit_events (operator_id, actor, action, target, request_id)
      values (i.provider_operator_id, p_actor, 'invocation.completed', p_invocation, p_request);
    perform wake_life('invocation:' || p_invocation, 'finished');
    messages := 1;
  end if;
  answer := invocation_answer_of(i, messages);
  if p_key is not null then perform keep_answer(p_key_operator, p_agent_part, p_key, 200, answer.snapshot, null); end if;
  if messages > 0 and i.price_cents > 0 then
    perform capture_hold(p_invocation, p_transfer, i.provider_operator_id, 'invocation',
      'Skill ' || (select name from skills where id = i.skill_id) || ' ' || i.skill_version, i.skill_id, p_invocation);
  end if;
  return answer;
end $$;

-- The provider gives up; the same error again changes nothing and answers the same.
create function fail_invocation(
  p_authority text, p_key_operator text, p_agent_part text, p_actor text, p_key text, p_fingerprint bytea, p_request text,
  p_invocation text, p_attempt int, p_error text
) returns invocation_answer language plpgsql as $$
declare stored idempotency_keys; i invocations; answer invocation_answer; messages int := 0;
begin
  stored := take_idempotency_key(p_key_operator, p_agent_part, p_key, p_fingerprint);
  if stored.status is not null then return replay_invocation_answer(stored); end if;
  i := lock_invocation(p_invocation, p_authority, 'provider');
  perform refuse_expired(i);
  perform refuse_other_attempt(i, p_attempt);
  if i.status <> 'failed' or i.error <> p_error then
    if i.status <> 'processing' then perform refuse_status(i, 'processing'); end if;
    i := end_invocation(i, 'failed', p_error, i.provider_operator_id, p_actor, 'invocation.failed', p_request);
    perform wake_life('invocation:' || p_invocation, 'finished');
    messages := 1;
  end if;
  answer := invocation_answer_of(i, messages);
  if p_key is not null then perform keep_answer(p_key_operator, p_agent_part, p_key, 200, answer.snapshot, null); end if;
  if messages > 0 then perform give_back(i); end if;
  return answer;
end $$;

-- The consumer withdraws what nobody works on.
create function cancel_invocation(
  p_authority text, p_key_operator text, p_agent_part text, p_actor text, p_key text, p_fingerprint bytea, p_request text,
  p_invocation text
) returns invocation_answer language plpgsql as $$
declare stored idempotency_keys; i invocations; answer invocation_answer;
begin
  stored := take_idempotency_key(p_key_operator, p_agent_part, p_key, p_fingerprint);
  if stored.status is not null then return replay_invocation_answer(stored); end if;
  i := lock_invocation(p_invocation, p_authority, 'consumer');
  perform refuse_expired(i);
  if not is_claimable(i) then perform refuse_status(i, 'pending'); end if;
  i := end_invocation(i, 'failed', '{"code":"CANCELLED_BY_CONSUMER","message":"The consumer cancelled it before it was done."}',
    i.consumer_operator_id, p_actor, 'invocation.cancelled', p_request);
  perform wake_life('invocation:' || p_invocation, 'finished');
  answer := invocation_answer_of(i, 1);
  if p_key is not null then perform keep_answer(p_key_operator, p_agent_part, p_key, 200, answer.snapshot, null); end if;
  perform give_back(i);
  return answer;
end $$;

-- An end without output. The caller gives the money back as its last step, since the wallet is the hottest lock.
create function end_invocation(
  i invocations, p_status text, p_error text, p_operator text, p_actor text, p_action text, p_request text
) returns invocations language plpgsql as $$
begin
  update invocations set status = p_status, error = p_error, completed_at = clock_timestamp(), lease_until = null
    where id = i.id returning * into i;
  insert into audit_events (operator_id, actor, action, target, request_id) values (p_operator, p_actor, p_action, i.id, p_request);
  return i;
end $$;

-- Keeps the claim: one conditional update of the lease, without message (its life asks Postgres when the old one ends)
-- and without audit row, since it changes nothing but a time. A lease that lapsed can be kept while nobody else has
-- claimed.
create function heartbeat_invocation(
  p_authority text, p_key_operator text, p_agent_part text, p_key text, p_fingerprint bytea,
  p_invocation text, p_attempt int, p_lease_seconds double precision
) returns invocation_answer language plpgsql as $$
declare stored idempotency_keys; i invocations; answer invocation_answer;
begin
  stored := take_idempotency_key(p_key_operator, p_agent_part, p_key, p_fingerprint);
  if stored.status is not null then return replay_invocation_answer(stored); end if;
  i := lock_invocation(p_invocation, p_authority, 'provider');
  perform refuse_expired(i);
  perform refuse_other_attempt(i, p_attempt);
  if i.status <> 'processing' then perform refuse_status(i, 'processing'); end if;
  if i.lease_until is null then
    perform refuse('NO_LEASE', 'The claim has no lease, so there is nothing to keep; claim with lease_seconds for one.');
  end if;
  update invocations set lease_until = clock_timestamp() + make_interval(secs => coalesce(p_lease_seconds, lease_seconds))
    where id = p_invocation returning * into i;
  answer := invocation_answer_of(i, 0);
  if p_key is not null then perform keep_answer(p_key_operator, p_agent_part, p_key, 200, answer.snapshot, null); end if;
  return answer;
end $$;

create function expire_invocation(i invocations) returns invocations language plpgsql as $$
begin
  i := end_invocation(i, 'expired', '{"code":"EXPIRED","message":"The time to live was over before it was completed."}',
    i.consumer_operator_id, 'service', 'invocation.expired', null);
  perform give_back(i);
  return i;
end $$;

create type invocation_step as (
  status text,
  open boolean,
  changed boolean,                       -- by this step
  wait_ms bigint,
  attempt int,
  expires_at text,
  lease_until text,
  provider_operator_id text
);

-- One step of an invocation's life: forgets the messages that woke it, then does what is due by the row and by
-- Postgres' clock.
create function advance_invocation(p_invocation text) returns invocation_step language plpgsql as $$
declare i invocations; was text; still_open boolean;
begin
  delete from life_messages where life = 'invocation:' || p_invocation;
  select * into i from invocations where id = p_invocation for no key update;
  if not found then return row('gone', false, false, null, 0, null, null, null)::invocation_step; end if;
  was := i.status;
  if i.status in ('pending', 'processing') and i.expires_at <= clock_timestamp() then
    i := expire_invocation(i);
  elsif i.status = 'processing' and i.lease_until <= clock_timestamp() then
    update invocations set status = 'pending', lease_until = null where id = p_invocation returning * into i;
    insert into audit_events (operator_id, actor, action, target, detail)
      values (i.provider_operator_id, 'service', 'invocation.lease_lapsed', p_invocation, jsonb_build_object('attempt', i.attempt));
  end if;
  still_open := i.status in ('pending', 'processing');
  if i.status = 'completed' and not i.self_invocation and not i.followed_up then
    perform count_completed_invocation(i.skill_id);
  end if;
  update invocations set life_seen_at = clock_timestamp(), followed_up = not still_open where id = p_invocation;
  return row(i.status, still_open, i.status <> was,
    case when still_open then
      greatest(1000, ceil(extract(epoch from least(i.expires_at, i.lease_until) - clock_timestamp()) * 1000)::bigint) end,
    i.attempt, iso_time(i.expires_at), iso_time(i.lease_until), i.provider_operator_id)::invocation_step;
end $$;

-- Rows whose life seems to be missing are woken, rows long past their deadline expired, holds that nothing open needs
-- released (architecture rule 11). Bounded, and rows that a command holds are left for the next round.
create function reconcile_invocations(out woken int, out expired text[], out released int) language plpgsql as $$
declare i invocations; orphan text;
begin
  expired := '{}'; released := 0;
  for i in select * from invocations
    where status in ('pending', 'processing') and expires_at < clock_timestamp() - interval '30 seconds'
    order by expires_at limit 100 for no key update skip locked
  loop
    perform expire_invocation(i);
    perform wake_life('invocation:' || i.id, 'finished');
    expired := expired || i.id;
  end loop;
  with missing as (
    select o.id from invocations o
    where o.status in ('pending', 'processing')
      and ((o.life_seen_at is null and o.created_at < clock_timestamp() - interval '10 seconds')
        or o.lease_until < clock_timestamp() - interval '1 minute')
      and not exists (select from life_messages m where m.life = 'invocation:' || o.id)
    limit 100
  ), waking as (insert into life_messages (life, kind) select 'invocation:' || id, 'invoked' from missing returning 1)
  select count(*) into woken from waking;
  for orphan in select h.cause from holds h
    where h.status = 'held' and h.cause like 'inv\_%' and h.created_at < clock_timestamp() - interval '1 minute'
      and not exists (select from invocations where id = h.cause and status in ('pending', 'processing'))
    order by h.created_at limit 100
  loop
    if release_hold(orphan) then released := released + 1; end if;
  end loop;
end $$;

-- Whether an operator has a completed invocation of a skill, the given one or any: what makes a rating verified
-- (decisions K18).
create function has_completed_invocation(p_consumer text, p_skill text, p_invocation text default null) returns boolean
language sql stable as $$
  select exists (
    select from invocations
    where consumer_operator_id = p_consumer and skill_id = p_skill and status = 'completed' and not self_invocation
      and (p_invocation is null or id = p_invocation));
$$;
