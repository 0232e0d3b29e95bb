-- What every domain stands on: refusals raised by SQL functions, idempotent answers, audit events, messages for lives.

-- A refusal from inside a function. It rolls the command back, and src/database/errors.ts turns it into a CarnetError:
-- SQLSTATE CN000, the machine code as message, {"detail": sentence, "extra": {...}} as detail.
create function refuse(code text, sentence text, extra json default '{}') returns void language plpgsql as $$
begin
  raise exception using errcode = 'CN000', message = code, detail = json_build_object('detail', sentence, 'extra', extra)::text;
end $$;

-- One row a key that committed an effect, kept 24 hours (decisions §1). `answer` is what the command stored: the body of the
-- answer, or the row from which it is made again. Its cells change from empty to full once, in one transaction.
create table idempotency_keys (
  operator_id text not null,
  agent_id text not null,               -- '' for a key of the operator
  key text not null,
  fingerprint bytea not null,           -- SHA-256 of method, path and JCS(body)
  status smallint,
  answer text,
  location text,
  encrypted boolean not null default false,
  created_at timestamptz not null default now(),
  primary key (operator_id, agent_id, key)
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_insert_scale_factor = 0.02);
create index idempotency_keys_age on idempotency_keys (created_at);

-- Takes the key for the running transaction, or returns the row a finished command left. A rival that is still running is
-- waited for (lock_timeout: 409 IDEMPOTENCY_IN_FLIGHT). Null: the key is ours, or there is no key.
create function take_idempotency_key(p_operator text, p_agent text, p_key text, p_fingerprint bytea)
returns idempotency_keys language plpgsql as $$
declare stored idempotency_keys;
begin
  if p_key is null then return null; end if;
  insert into idempotency_keys as k (operator_id, agent_id, key, fingerprint)
    values (p_operator, p_agent, p_key, p_fingerprint)
    on conflict (operator_id, agent_id, key) do update
      set fingerprint = excluded.fingerprint, status = null, answer = null, location = null, encrypted = false, created_at = now()
      where k.created_at < now() - interval '24 hours';
  if found then return null; end if;
  select * into strict stored from idempotency_keys
    where operator_id = p_operator and agent_id = p_agent and key = p_key;
  if stored.fingerprint <> p_fingerprint then
    perform refuse('IDEMPOTENCY_KEY_REUSED',
      'This Idempotency-Key was used for another method, path or body; use a new key for a new request.');
  end if;
  return stored;
end $$;

create function keep_answer(p_operator text, p_agent text, p_key text, p_status int, p_answer text, p_location text)
returns void language sql as $$
  update idempotency_keys set status = p_status, answer = p_answer, location = p_location
  where operator_id = p_operator and agent_id = p_agent and key = p_key and p_key is not null;
$$;

-- Append-only (decisions C8); every mutation writes one in its transaction.
create table audit_events (
  id bigint generated always as identity primary key,
  operator_id text not null,
  actor text not null,                  -- key id, agent id, 'temporal-signal', 'service'
  action text not null,                 -- 'skill.published', 'invocation.claimed' …
  target text not null,
  detail jsonb not null default '{}',
  request_id text,
  created_at timestamptz not null default clock_timestamp()
);
create index audit_events_of_operator on audit_events (operator_id, id desc);

-- Messages for lives, written by commands in their own transaction and delivered afterwards by signal-with-start
-- (architecture: "Postgres decides, Temporal remembers to act"). A message only wakes; the life reads its row.
create table life_messages (
  id bigint generated always as identity primary key,
  life text not null,                   -- workflow id, '<kind>:<prefixed id>'
  kind text not null,
  created_at timestamptz not null default clock_timestamp(),
  next_attempt_at timestamptz not null default clock_timestamp() + interval '500 milliseconds',
  lease_until timestamptz,
  attempts int not null default 0,
  parked boolean not null default false
) with (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 200, autovacuum_vacuum_cost_delay = 0);
create index life_messages_due on life_messages (next_attempt_at) where not parked;
create index life_messages_of_life on life_messages (life);

create function wake_life(p_life text, p_kind text) returns void language sql as $$
  insert into life_messages (life, kind) values (p_life, p_kind);
$$;
