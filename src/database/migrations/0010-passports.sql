-- Agent passports (Market §2.5, §2.6, §3.4): the keys that sign them, the sessions they belong to, their lineages and the
-- passports themselves. A passport is a row; its token is signed from the row whenever it is answered and kept nowhere
-- (decisions A42).

create table signing_keys (
  kid text primary key,                  -- RFC 7638 thumbprint
  x text not null,                       -- the public key, base64url
  private_key text not null,             -- sealed under ENCRYPTION_KEY
  -- next: shown, not yet signing. retired: no longer signing, its tokens count. withdrawn: its tokens count no more.
  status text not null check (status in ('next', 'active', 'retired', 'withdrawn')),
  created_at timestamptz not null default clock_timestamp(),
  activated_at timestamptz,
  ended_at timestamptz,                  -- when it stopped signing
  constraint signing_keys_times check ((status = 'next') = (activated_at is null) and (status in ('retired', 'withdrawn')) = (ended_at is not null))
);
create unique index signing_keys_one_active on signing_keys ((true)) where status = 'active';
create unique index signing_keys_one_next on signing_keys ((true)) where status = 'next';

-- Everything that was issued, delegated and refreshed from one call of issue (decisions A11). Its life is `session:ses_…`.
create table passport_sessions (
  id text primary key,
  operator_id text not null,
  started_at timestamptz not null,
  life_seen_at timestamptz               -- when its life last read it (architecture rule 11)
) with (fillfactor = 80);

-- A passport and all its refreshes, with one set of obligations (decisions A16). Revoking any member revokes the lineage.
create table passport_lineages (
  id text primary key,                   -- the jti of its first passport
  session_id text not null,
  operator_id text not null,
  agent_id text not null,
  root_agent_id text not null,           -- whose grants a refresh is checked against (A41: a child needs none of its own)
  parent_lineage_id text,
  depth smallint not null check (depth between 0 and 4),
  accountability text not null check (accountability in ('standard', 'logged', 'enforced')),
  checkpoint_interval_seconds double precision,  -- null: no checkpoints are due
  intent text,                           -- JSON as it was sent (Market §4.5); null: none was given
  mission_ids text[] not null default '{}',
  started_at timestamptz not null,
  latest_expiry timestamptz not null,    -- of its members; refreshing moves it
  revoked_at timestamptz,
  checkpoint_count int not null default 0,
  last_checkpoint_at timestamptz,
  -- The grace of decisions A23 comes on top. Null: no checkpoint is due any more, or never was.
  next_checkpoint_due_at timestamptz,
  checked_out_at timestamptz,            -- by the agent; a missed checkout does not set it
  checkout_missed_at timestamptz
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02);
create index passport_lineages_of_session on passport_lineages (session_id);
create index passport_lineages_children on passport_lineages (parent_lineage_id) where parent_lineage_id is not null;
create index passport_lineages_of_agent on passport_lineages (agent_id, id);

create table passports (
  jti text primary key,
  lineage_id text not null,
  session_id text not null,
  operator_id text not null,
  agent_id text not null,
  depth smallint not null,
  parent_jti text,                       -- the passport it was delegated from
  refreshed_from text,                   -- the passport it was refreshed from
  kid text not null,
  issued_at timestamptz not null,        -- whole seconds, as in the token
  expires_at timestamptz not null,
  payload text not null,                 -- what is signed, as JSON: the same bytes give the same token (Ed25519 is deterministic)
  status_day date not null,              -- its bit in the status list of that UTC day (decisions A43)
  status_index int not null,
  revoked_at timestamptz,
  revoke_reason text,
  revoked_with text                      -- the jti or id that was named, where an ancestor's revocation took it along; null: itself
) with (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_insert_scale_factor = 0.05);
-- jtis sort by creation, so they are the keyset of every list.
create index passports_of_operator on passports (operator_id, jti);
create index passports_of_lineage on passports (lineage_id);
create index passports_of_agent on passports (agent_id, jti);
create index passports_of_session on passports (session_id, jti);
create index passports_revoked on passports (status_day, status_index) where revoked_at is not null;

-- Numbers of bits are taken from one sequence; `first` is where the day begins.
create sequence passport_status_numbers;
create table passport_status_days (day date primary key, first bigint not null);

-- Issuing, delegating and refreshing share the operator, every revocation has it alone (architecture rule 12): what
-- was racing is either seen by the revocation or refused after it. To be taken in a statement before the one that reads.
create function lock_passports_shared(p_operator text) returns void language sql as $$
  select pg_advisory_xact_lock_shared(1885434739, hashtext(p_operator));
$$;
create function lock_passports_exclusively(p_operator text) returns void language sql as $$
  select pg_advisory_xact_lock(1885434739, hashtext(p_operator));
$$;

-- Whether tokens of this key are taken and it is shown in the JWKS: a retired one until the last of its tokens has expired
-- (an hour, the longest there is) and an hour more (decisions A37).
create function signing_key_counts(k signing_keys) returns boolean language sql stable as $$
  select k.status in ('next', 'active') or (k.status = 'retired' and k.ended_at > clock_timestamp() - interval '2 hours');
$$;

-- The keys of a new service. Of several processes that make them at once one wins, and the others find its keys.
create function make_first_signing_keys(
  p_kid text, p_x text, p_private text, p_next_kid text, p_next_x text, p_next_private text
) returns void language plpgsql as $$
begin
  perform pg_advisory_xact_lock(1802201963);
  if exists (select from signing_keys) then return; end if;
  insert into signing_keys (kid, x, private_key, status, activated_at) values (p_kid, p_x, p_private, 'active', clock_timestamp());
  insert into signing_keys (kid, x, private_key, status) values (p_next_kid, p_next_x, p_next_private, 'next');
end $$;

-- The next key signs from now on, p_kid is the new next one, and the active one retires: its tokens count until they expire.
-- p_immediate: it is withdrawn, and its tokens count no more. p_older_than: only where the active key signs for that long
-- (null: in any case), so that two runs of the schedule rotate once. Returns the key that stopped signing, or null.
create function rotate_signing_keys(
  p_immediate boolean, p_older_than interval, p_kid text, p_x text, p_private text, p_actor text, p_request text
) returns text language plpgsql as $$
declare stopped text; started text;
begin
  perform pg_advisory_xact_lock(1802201963);
  update signing_keys set status = case when p_immediate then 'withdrawn' else 'retired' end, ended_at = clock_timestamp()
    where status = 'active' and (p_older_than is null or activated_at <= clock_timestamp() - p_older_than)
    returning kid into stopped;
  if stopped is null then return null; end if;
  update signing_keys set status = 'active', activated_at = clock_timestamp() where status = 'next' returning kid into strict started;
  insert into signing_keys (kid, x, private_key, status) values (p_kid, p_x, p_private, 'next');
  insert into audit_events (operator_id, actor, action, target, detail, request_id)
    values ('op_platform', p_actor, 'signing_keys.rotated', started, jsonb_build_object('stopped', stopped, 'immediate', p_immediate), p_request);
  return stopped;
end $$;

-- What is active now, for lists and for the scope of a revocation; everything else of an operator is history.
create index passports_active on passports (operator_id, expires_at) where revoked_at is null;

-- The next bit of a day's status list. The day begins with a number of the sequence, so every number taken once it is known
-- is a later one; who comes first in a day is waited for.
create function take_status_index(p_day date) returns int language plpgsql as $$
declare v_first bigint;
begin
  select first into v_first from passport_status_days where day = p_day;
  if not found then
    insert into passport_status_days (day, first) values (p_day, nextval('passport_status_numbers')) on conflict (day) do nothing;
    select first into strict v_first from passport_status_days where day = p_day;
  end if;
  return nextval('passport_status_numbers') - v_first;
end $$;

-- What a command that signs answers: the bytes of the row, and the key that signs them. The key of an idempotent call keeps
-- the jti alone (decisions §1): its row makes the same token again.
create type passport_answer as (
  replayed boolean,
  jti text,
  kid text,
  payload text,
  expires_at timestamptz,
  messages int
);

create function replay_passport_answer(p_stored idempotency_keys) returns passport_answer language sql stable as $$
  select row(true, jti, kid, payload, expires_at, 0)::passport_answer from passports where jti = p_stored.answer;
$$;

-- What was composed outside, from facts of revision `p_revision` that hold until `p_until` (seconds since 1970; null: for ever) and
-- for one key, is signed only while all three stand. Otherwise the caller composes it anew: CN001 from other facts, CN003 for
-- another key. After a change of something else the facts of `p_agents` stand by their digests: an operator who changes grants all the
-- time gets passports all the same.
create function is_composed_of_now(p_facts_hold boolean, p_key_signs boolean, p_until bigint) returns boolean language sql volatile as $$
  select p_facts_hold and p_key_signs and coalesce(p_until > extract(epoch from clock_timestamp()), true);
$$;
create function refuse_composed(p_key_signs boolean) returns void language plpgsql as $$
begin
  if p_key_signs then
    raise exception using errcode = 'CN001', message = 'the facts that the passport was composed of have changed since';
  end if;
  raise exception using errcode = 'CN003', message = 'the key that is to sign the passport is not the active one';
end $$;

-- The caller has found from those facts that it must refuse, and knows the words.
create function refuse_as_composed() returns void language plpgsql as $$
begin
  raise exception using errcode = 'CN002', message = 'refused as composed';
end $$;

-- A pending review of risk critical holds every new passport of the agent (decisions A30).
create function refuse_held(p_agent text) returns void language plpgsql as $$
begin
  perform refuse('AGENT_REVIEW_PENDING',
    format('A review of %s with critical flags waits for a decision; until a person has decided it, the agent gets no passport.', p_agent),
    json_build_object('agent_id', p_agent));
end $$;

-- A good signature without a row was never issued (decisions A17).
create function refuse_ended(p passports, l passport_lineages) returns void language plpgsql as $$
begin
  if p.jti is null or p.revoked_at is not null or l.revoked_at is not null then
    perform refuse('PASSPORT_REVOKED', 'The passport was revoked; issue a new one.');
  end if;
  if p.expires_at <= clock_timestamp() then
    perform refuse('PASSPORT_EXPIRED', format('The passport expired at %s; issue a new one.', iso_time(p.expires_at)),
      json_build_object('expires_at', iso_time(p.expires_at)));
  end if;
end $$;

-- What a withdrawn key signed counts no more, though the caller may not have heard of it yet.
create function refuse_withdrawn(p passports) returns void language plpgsql as $$
begin
  if exists (select from signing_keys k where k.kid = p.kid and not signing_key_counts(k)) then
    perform refuse('INVALID_PASSPORT', 'The key of the passport was withdrawn; issue a new one.', json_build_object('reason', 'unknown_key'));
  end if;
end $$;

-- Writes the passport. `p_svcns` is JSON as it is signed; a token is the base64url of header, payload and 64 bytes of
-- signature, and its length is judged before anything commits (decisions A2: 16 KiB).
create function write_passport(
  l passport_lineages, p_jti text, p_parent text, p_refreshed_from text, p_kid text, p_issuer text, p_claim text, p_svcns text,
  p_issued bigint, p_expires bigint
) returns passports language plpgsql as $$
declare
  v_day constant date := (to_timestamp(p_issued) at time zone 'UTC')::date;
  v_index int;
  v_payload text;
  v_length int;
  written passports;
begin
  -- As take_status_index() does, where the day has begun.
  select nextval('passport_status_numbers') - first into v_index from passport_status_days where day = v_day;
  if not found then v_index := take_status_index(v_day); end if;
  v_payload := '{"iss":' || jcs_text(p_issuer) || ',"sub":"' || l.agent_id || '","iat":' || p_issued || ',"exp":' || p_expires
    || ',"jti":"' || p_jti || '",' || jcs_text(p_claim) || ':' || p_svcns || ',"status":{"status_list":{"idx":' || v_index
    || ',"uri":' || jcs_text(p_issuer || '/v1/passports/status-list/' || v_day) || '}}}';
  v_length := (octet_length('{"alg":"EdDSA","kid":"","typ":"JWT"}' || p_kid) * 4 + 2) / 3
    + (octet_length(v_payload) * 4 + 2) / 3 + 86 + 2;
  if v_length > 16384 then
    perform refuse('PASSPORT_TOO_LARGE',
      format('The token would have %s characters, and 16,384 is the most; ask for fewer services, scopes, constraints or sources.', v_length),
      json_build_object('token_length', v_length));
  end if;
  insert into passports (jti, lineage_id, session_id, operator_id, agent_id, depth, parent_jti, refreshed_from, kid, issued_at, expires_at,
      payload, status_day, status_index)
    values (p_jti, l.id, l.session_id, l.operator_id, l.agent_id, l.depth, p_parent, p_refreshed_from, p_kid,
      to_timestamp(p_issued), to_timestamp(p_expires), v_payload, v_day, v_index)
    returning * into written;
  return written;
end $$;

-- Issues a passport: its session, its lineage and itself. `p_refused` is the HTTP status of the refusal that composing ended
-- with; 400 and 404 are told before whether the agent is held, everything else after it.
create function issue_passport(
  p_operator text, p_actor text, p_key text, p_fingerprint bytea, p_request text,
  p_refused int, p_revision bigint, p_agents text[], p_digests text[], p_until bigint, p_kid text, p_issuer text, p_claim text, p_svcns text, p_jti text,
  p_session text, p_agent text, p_accountability text, p_ttl_seconds int, p_session_seconds int,
  p_interval double precision, p_intent text, p_missions text[]
) returns passport_answer language plpgsql as $$
declare
  stored idempotency_keys;
  state record;
  l passport_lineages;
  p passports;
  v_issued bigint;
  v_expires bigint;
  v_messages int := 0;
begin
  if p_key is not null then
    stored := take_idempotency_key(p_operator, '', p_key, p_fingerprint);
    if stored.status is not null then return replay_passport_answer(stored); end if;
  end if;
  perform lock_passports_shared(p_operator);
  v_issued := epoch_seconds(clock_timestamp()); -- before what it says is found to hold: that ends in a later second
  select authority_revision(p_operator) = p_revision or facts_hold(p_operator, p_agents, p_digests) as facts_hold,
    exists (select from signing_keys where kid = p_kid and status = 'active') as key_signs into state;
  if not is_composed_of_now(state.facts_hold, state.key_signs, p_until) then perform refuse_composed(state.key_signs); end if;
  if p_refused in (400, 404) then perform refuse_as_composed(); end if;
  if p_missions <> '{}' then perform refuse_missions(p_operator, p_agent, p_missions); end if;
  if agent_held(p_agent) then perform refuse_held(p_agent); end if;
  if p_refused is not null then perform refuse_as_composed(); end if;

  v_expires := v_issued + least(p_ttl_seconds, p_session_seconds);
  insert into passport_sessions (id, operator_id, started_at) values (p_session, p_operator, to_timestamp(v_issued));
  insert into passport_lineages (id, session_id, operator_id, agent_id, root_agent_id, depth, accountability, checkpoint_interval_seconds,
      intent, mission_ids, started_at, latest_expiry, next_checkpoint_due_at)
    values (p_jti, p_session, p_operator, p_agent, p_agent, 0, p_accountability, p_interval,
      p_intent, p_missions, to_timestamp(v_issued), to_timestamp(v_expires),
      case when p_accountability <> 'standard' then to_timestamp(v_issued) + make_interval(secs => p_interval) end)
    returning * into l;
  p := write_passport(l, p_jti, null, null, p_kid, p_issuer, p_claim, p_svcns, v_issued, v_expires);
  insert into audit_events (operator_id, actor, action, target, detail, request_id)
    values (p_operator, p_actor, 'passport.issued', p_jti, jsonb_build_object('agent_id', p_agent, 'session_id', p_session), p_request);
  if p_accountability <> 'standard' then
    perform wake_life('session:' || p_session, 'issued');
    v_messages := 1;
  end if;
  if p_key is not null then perform keep_answer(p_operator, '', p_key, 201, p_jti, '/v1/passports/' || p_jti); end if;
  return row(false, p_jti, p_kid, p.payload, p.expires_at, v_messages)::passport_answer;
end $$;

-- Delegates from a passport whose signature is good: a lineage of its own below the parent's. `p_ttl_seconds` null: as long as
-- the parent's, p_standard_seconds at most (decisions A12). The parent's own agent may be held too (A30).
create function delegate_passport(
  p_operator text, p_actor text, p_key text, p_fingerprint bytea, p_request text,
  p_refused int, p_revision bigint, p_agents text[], p_digests text[], p_until bigint, p_kid text, p_issuer text, p_claim text, p_svcns text, p_jti text,
  p_parent text, p_agent text, p_accountability text, p_ttl_seconds int, p_standard_seconds int,
  p_interval double precision
) returns passport_answer language plpgsql as $$
declare
  stored idempotency_keys;
  state record;
  parent passports;
  above passport_lineages;
  l passport_lineages;
  p passports;
  v_issued bigint;
  v_left bigint;
  v_interval double precision;
  v_messages int := 0;
begin
  if p_key is not null then
    stored := take_idempotency_key(p_operator, '', p_key, p_fingerprint);
    if stored.status is not null then return replay_passport_answer(stored); end if;
  end if;
  perform lock_passports_shared(p_operator);
  v_issued := epoch_seconds(clock_timestamp()); -- before what it says and the parent are found to hold: both end in a later second
  select authority_revision(p_operator) = p_revision or facts_hold(p_operator, p_agents, p_digests) as facts_hold,
    exists (select from signing_keys where kid = p_kid and status = 'active') as key_signs into state;
  if not is_composed_of_now(state.facts_hold, state.key_signs, p_until) then perform refuse_composed(state.key_signs); end if;
  if p_refused in (400, 404) then perform refuse_as_composed(); end if;
  select * into parent from passports where jti = p_parent and operator_id = p_operator;
  select * into above from passport_lineages where id = parent.lineage_id;
  perform refuse_withdrawn(parent);
  perform refuse_ended(parent, above);
  perform refuse_checked_out(above);
  if agent_held(p_agent) then perform refuse_held(p_agent); end if;
  if parent.agent_id <> p_agent and agent_held(parent.agent_id) then perform refuse_held(parent.agent_id); end if;
  if p_refused is not null then perform refuse_as_composed(); end if;

  v_left := epoch_seconds(parent.expires_at) - v_issued;
  if p_ttl_seconds > v_left then
    perform refuse('TTL_EXCEEDS_PARENT',
      format('The parent passport is valid for another %s seconds; ask for at most that, or leave ttl_seconds out.', v_left),
      json_build_object('remaining_seconds', v_left));
  end if;
  v_interval := least(p_interval, above.checkpoint_interval_seconds);
  insert into passport_lineages (id, session_id, operator_id, agent_id, root_agent_id, parent_lineage_id, depth, accountability,
      checkpoint_interval_seconds, intent, mission_ids, started_at, latest_expiry, next_checkpoint_due_at)
    values (p_jti, above.session_id, p_operator, p_agent, above.root_agent_id, above.id, above.depth + 1, p_accountability,
      v_interval, above.intent, above.mission_ids, to_timestamp(v_issued),
      to_timestamp(v_issued + coalesce(p_ttl_seconds, least(p_standard_seconds, v_left))),
      case when p_accountability <> 'standard' then to_timestamp(v_issued) + make_interval(secs => v_interval) end)
    returning * into l;
  p := write_passport(l, p_jti, p_parent, null, p_kid, p_issuer, p_claim, p_svcns, v_issued, epoch_seconds(l.latest_expiry));
  insert into audit_events (operator_id, actor, action, target, detail, request_id)
    values (p_operator, p_actor, 'passport.delegated', p_jti, jsonb_build_object('agent_id', p_agent, 'parent_jti', p_parent), p_request);
  if p_accountability <> 'standard' then
    perform wake_life('session:' || l.session_id, 'delegated');
    v_messages := 1;
  end if;
  if p_key is not null then perform keep_answer(p_operator, '', p_key, 201, p_jti, '/v1/passports/' || p_jti); end if;
  return row(false, p_jti, p_kid, p.payload, p.expires_at, v_messages)::passport_answer;
end $$;

-- One more passport of a lineage, clamped to the end of the session and to the latest expiry of the parent's lineage
-- (decisions A16). The lineage is locked, so that no checkout passes unseen.
create function refresh_passport(
  p_operator text, p_actor text, p_key text, p_fingerprint bytea, p_request text,
  p_refused int, p_revision bigint, p_agents text[], p_digests text[], p_until bigint, p_kid text, p_issuer text, p_claim text, p_svcns text, p_jti text,
  p_from text, p_ttl_seconds int, p_session_seconds int
) returns passport_answer language plpgsql as $$
declare
  stored idempotency_keys;
  state record;
  before passports;
  l passport_lineages;
  p passports;
  v_issued bigint;
  v_expires bigint;
  v_messages int := 0;
begin
  if p_key is not null then
    stored := take_idempotency_key(p_operator, '', p_key, p_fingerprint);
    if stored.status is not null then return replay_passport_answer(stored); end if;
  end if;
  perform lock_passports_shared(p_operator);
  select * into before from passports where jti = p_from and operator_id = p_operator;
  select * into l from passport_lineages where id = before.lineage_id for no key update;
  v_issued := epoch_seconds(clock_timestamp()); -- before what it says and the old one are found to hold: both end in a later second
  select authority_revision(p_operator) = p_revision or facts_hold(p_operator, p_agents, p_digests) as facts_hold,
    exists (select from signing_keys where kid = p_kid and status = 'active') as key_signs into state;
  if not is_composed_of_now(state.facts_hold, state.key_signs, p_until) then perform refuse_composed(state.key_signs); end if;
  if p_refused in (400, 404) then perform refuse_as_composed(); end if;
  perform refuse_withdrawn(before);
  perform refuse_ended(before, l);
  perform refuse_checked_out(l);
  if agent_held(l.agent_id) then perform refuse_held(l.agent_id); end if;
  if p_refused is not null then perform refuse_as_composed(); end if;

  v_expires := least(v_issued + p_ttl_seconds,
    (select epoch_seconds(started_at) + p_session_seconds from passport_sessions where id = l.session_id),
    (select epoch_seconds(latest_expiry) from passport_lineages where id = l.parent_lineage_id));
  -- Where the setting was lowered, a session may be older than sessions become now.
  if v_expires <= v_issued then
    perform refuse('PASSPORT_EXPIRED', 'The session has lasted as long as sessions may; issue a new passport.');
  end if;
  update passport_lineages set latest_expiry = to_timestamp(v_expires) where id = l.id and latest_expiry < to_timestamp(v_expires);
  p := write_passport(l, p_jti, before.parent_jti, p_from, p_kid, p_issuer, p_claim, p_svcns, v_issued, v_expires);
  insert into audit_events (operator_id, actor, action, target, detail, request_id)
    values (p_operator, p_actor, 'passport.refreshed', p_jti, jsonb_build_object('refreshed_from', p_from), p_request);
  if l.accountability <> 'standard' then
    perform wake_life('session:' || l.session_id, 'refreshed');
    v_messages := 1;
  end if;
  if p_key is not null then perform keep_answer(p_operator, '', p_key, 201, p_jti, '/v1/passports/' || p_jti); end if;
  return row(false, p_jti, p_kid, p.payload, p.expires_at, v_messages)::passport_answer;
end $$;

create type passport_revocation as (
  revoked text[],                        -- the jtis that were active until now
  claims int,                            -- claims revoked with them (decisions A19)
  messages int
);

-- Revokes these lineages and every lineage that came of them; the operator is locked by whoever calls. What expired stays as it
-- is and is not counted. Passports of the named lineages are revoked themselves, the others with `p_named`. Revocation
-- ends the checkpoint timers (decisions §3.8).
create function revoke_lineages(p_lineages text[], p_named text, p_reason text) returns passport_revocation language plpgsql as $$
declare
  v_moment constant timestamptz := clock_timestamp();
  v_taken text[];
  v_sessions text[];
  v_session text;
  revocation passport_revocation;
begin
  with recursive taken (id) as (
    select unnest(p_lineages)
    union
    select child.id from passport_lineages child join taken on child.parent_lineage_id = taken.id
  ) select coalesce(array_agg(id), '{}') into v_taken from taken;
  perform from passport_lineages where id = any (v_taken) order by id for no key update;
  with ended as (
    update passport_lineages set revoked_at = v_moment, next_checkpoint_due_at = null
      where id = any (v_taken) and revoked_at is null
      returning session_id
  ) select coalesce(array_agg(distinct session_id), '{}') into v_sessions from ended;
  with ended as (
    update passports set revoked_at = v_moment, revoke_reason = p_reason,
        -- As a subquery it is hashed; an array would be searched for each passport, and there may be as many of both.
        revoked_with = case when lineage_id in (select unnest(p_lineages)) then null else p_named end
      where lineage_id = any (v_taken) and revoked_at is null and expires_at > v_moment
      returning jti
  ) select coalesce(array_agg(jti), '{}') into revocation.revoked from ended;
  revocation.claims := case when revocation.revoked = '{}' then 0 else revoke_claims_of_passports(revocation.revoked, p_reason) end;
  revocation.messages := 0;
  -- Only sessions that are watched have a life.
  for v_session in
    select distinct session_id from passport_lineages where session_id = any (v_sessions) and accountability <> 'standard'
  loop
    perform wake_life('session:' || v_session, 'revoked');
    revocation.messages := revocation.messages + 1;
  end loop;
  return revocation;
end $$;

-- Everything active in a scope, 'operator', 'agent' or 'session', with what was delegated from it to others.
create function revoke_active_passports(p_operator text, p_scope text, p_id text, p_reason text)
returns passport_revocation language plpgsql as $$
begin
  perform lock_passports_exclusively(p_operator);
  return revoke_lineages(
    array(
      select distinct lineage_id from passports
      where operator_id = p_operator and revoked_at is null and expires_at > clock_timestamp()
        and (p_scope = 'operator' or (p_scope = 'agent' and agent_id = p_id) or (p_scope = 'session' and session_id = p_id))),
    p_id, p_reason);
end $$;

-- For other domains, in their transactions: how many passports were revoked.
create function revoke_passports_of_agent(p_operator text, p_agent text, p_reason text) returns int language sql as $$
  select cardinality(revoked) from revoke_active_passports(p_operator, 'agent', p_agent, p_reason);
$$;
create function revoke_passports_of_operator(p_operator text, p_reason text) returns int language sql as $$
  select cardinality(revoked) from revoke_active_passports(p_operator, 'operator', p_operator, p_reason);
$$;

create type passport_revocation_answer as (
  replayed boolean,
  body text,                             -- what is answered, and kept under the Idempotency-Key
  revoked text[],
  messages int
);

-- Revokes the lineage of one passport and everything that came of it (decisions A16, A18). Once revoked or expired, there is
-- nothing left to do, and that is no fault.
create function revoke_passport(
  p_operator text, p_actor text, p_key text, p_fingerprint bytea, p_request text, p_jti text, p_reason text
) returns passport_revocation_answer language plpgsql as $$
declare
  stored idempotency_keys;
  v_lineage text;
  revocation passport_revocation;
  v_cascaded int;
  v_body text;
begin
  stored := take_idempotency_key(p_operator, '', p_key, p_fingerprint);
  if stored.status is not null then return row(true, stored.answer, '{}', 0)::passport_revocation_answer; end if;
  perform lock_passports_exclusively(p_operator);
  select lineage_id into v_lineage from passports where jti = p_jti and operator_id = p_operator;
  if not found then perform refuse('NOT_FOUND', 'There is no such passport, or this credential may not see it.'); end if;
  revocation := revoke_lineages(array[v_lineage], p_jti, p_reason);
  v_cascaded := cardinality(array_remove(revocation.revoked, p_jti));
  insert into audit_events (operator_id, actor, action, target, detail, request_id)
    values (p_operator, p_actor, 'passport.revoked', p_jti, jsonb_build_object('reason', p_reason, 'cascaded_count', v_cascaded), p_request);
  v_body := json_build_object('success', true, 'jti', p_jti, 'cascaded_count', v_cascaded, 'revoked_claims_count', revocation.claims);
  perform keep_answer(p_operator, '', p_key, 200, v_body, null);
  return row(false, v_body, revocation.revoked, revocation.messages)::passport_revocation_answer;
end $$;

-- The same for everything active of an agent, a session or the operator; an id that is unknown or another's has nothing
-- (decisions A20).
create function revoke_passports(
  p_operator text, p_actor text, p_key text, p_fingerprint bytea, p_request text, p_scope text, p_id text, p_reason text
) returns passport_revocation_answer language plpgsql as $$
declare
  stored idempotency_keys;
  revocation passport_revocation;
  v_body text;
begin
  stored := take_idempotency_key(p_operator, '', p_key, p_fingerprint);
  if stored.status is not null then return row(true, stored.answer, '{}', 0)::passport_revocation_answer; end if;
  revocation := revoke_active_passports(p_operator, p_scope, p_id, p_reason);
  insert into audit_events (operator_id, actor, action, target, detail, request_id)
    values (p_operator, p_actor, 'passports.revoked', p_id,
      jsonb_build_object('reason', p_reason, 'revoked_count', cardinality(revocation.revoked)), p_request);
  v_body := json_build_object('success', true, 'revoked_count', cardinality(revocation.revoked));
  perform keep_answer(p_operator, '', p_key, 200, v_body, null);
  return row(false, v_body, revocation.revoked, revocation.messages)::passport_revocation_answer;
end $$;

-- For commands that name a passport: its agent, null where it is not the operator's; refused once it has ended or an authority
-- that it carries is no longer live (decisions A10, K26).
create function assert_passport_usable(p_operator text, p_jti text, p_claim text default 'svcns') returns text language plpgsql as $$
declare
  p passports;
  l passport_lineages;
  v_bindings text[];
begin
  select * into p from passports where jti = p_jti and operator_id = p_operator;
  if not found then return null; end if;
  select * into strict l from passport_lineages where id = p.lineage_id;
  perform refuse_withdrawn(p);
  perform refuse_ended(p, l);
  v_bindings := array(select ref ->> 'binding_id' from json_array_elements(p.payload::json -> p_claim -> 'authority_refs') as ref);
  if cardinality(v_bindings) > cardinality(authority_bindings_active(v_bindings, p.agent_id)) then
    perform refuse('AUTHORITY_BINDING_INVALID', 'An authority binding of the passport is no longer active; issue a new passport.');
  end if;
  return p.agent_id;
end $$;
