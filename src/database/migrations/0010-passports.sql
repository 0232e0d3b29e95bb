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
  identity_claim_ids text[] not null default '{}',
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
