-- What every domain writes in its commands: idempotent answers, audit events, messages for lives.
--
-- How these files are read: tables, views, triggers and first rows, one file a domain, in the order of their foreign keys.
-- Functions are not here but beside the TypeScript that calls them, `src/<domain>/**/sql/<function>.sql`, installed for each
-- release by src/database/functions.ts. What a column or a trigger needs to exist at all stays here: `search_words`, and the stubs
-- of triggers, which call an ordinary function. Amounts are whole cents (USD) where a name ends in _cents, and microcents
-- (1 cent = 1,000,000) where it ends in _microcents.

-- One row for each Idempotency-Key whose command committed, kept 24 hours. `answer` is what the command stored: the body of
-- the answer, or the id of the row from which it is made again.
create table idempotency_keys (
  operator_id text not null,
  agent_id text not null,               -- '' for a key of the operator
  key text not null,
  fingerprint bytea not null,           -- SHA-256 of method, path and JCS(body)
  status smallint,                      -- of the HTTP answer; null: there is none yet
  answer text,
  location text,
  encrypted boolean not null default false,
  -- An answer that waits for an outside effect: the key is reserved with the id of what was begun, until the answer is stored.
  -- After `reserved_until` the next call of the same key and body takes the reservation over, with the id.
  reservation text,
  reserved_until timestamptz,
  created_at timestamptz not null default now(),
  primary key (operator_id, agent_id, key)
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_insert_scale_factor = 0.02);
create index idempotency_keys_age on idempotency_keys (created_at);

-- Append-only; every change writes one in its transaction (decision C8).
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

-- Messages for lives (Temporal workflows), written by commands in their own transaction and delivered afterwards by
-- signal-with-start. A message only wakes: the life reads its row and decides by it.
create table life_messages (
  id bigint generated always as identity primary key,
  life text not null,                   -- workflow id, '<kind>:<prefixed id>'
  created_at timestamptz not null default clock_timestamp(),
  next_attempt_at timestamptz not null, -- when it is due: at first after message_delay(), where nothing else is said
  lease_until timestamptz,
  attempts int not null default 0,
  parked boolean not null default false,
  -- Whose turn it takes: an operator, of a mail its recipient; one that a person wakes by hand is nobody's.
  owner text not null default 'nobody',
  -- Of its kind, as `Priority` in temporal/lives.ts: money, work, mail.
  priority int not null generated always as (case split_part(life, ':', 1)
    when 'mail' then 5 when 'invocation' then 3 when 'session' then 3 when 'notification' then 3 when 'verification' then 3 when 'inbound' then 3 when 'log-sequencer' then 3 else 1 end) stored
) with (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 200, autovacuum_vacuum_cost_delay = 0);
-- Leads from one owner to the next, and to what of theirs is due.
create index life_messages_due on life_messages (priority, owner, next_attempt_at) where not parked;
create index life_messages_of_life on life_messages (life, id);

-- One row for each task that some worker does every few seconds, for all of them: when the next round may begin.
create table rounds (
  task text primary key,
  next_at timestamptz not null
);

-- Where lives are kept, one row: a namespace of Temporal beside a copy of this database. When either becomes another one (an
-- emptied cluster, a restored backup), a life that saw a row before `since` may be gone, and every open row is woken again.
create table life_store (
  one boolean primary key default true check (one),
  store text not null,
  -- The transaction that wrote this row, as in its system column xmin. A dump carries this one and not that: where they differ, somebody has
  -- restored a dump, or changed the row by hand.
  written_by xid not null,
  epoch int not null,                   -- +1 with each change
  since timestamptz not null            -- when the change was noticed
);
