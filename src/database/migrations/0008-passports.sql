-- Agent passports: the keys that sign them, the sessions they belong to, their lineages, the passports themselves, and what
-- agents of accountability logged and enforced must report. A passport is a row; its token is signed from the row whenever it
-- is answered and kept nowhere (decision A42).

create table signing_keys (
  kid text primary key,                  -- RFC 7638 thumbprint
  x text not null,                       -- the public key, base64url
  private_key text not null,             -- encrypted under ENCRYPTION_KEY
  -- next: shown, not yet signing. retired: no longer signing, its tokens are valid. withdrawn: its tokens are invalid.
  status text not null check (status in ('next', 'active', 'retired', 'withdrawn')),
  created_at timestamptz not null default clock_timestamp(),
  activated_at timestamptz,
  ended_at timestamptz,                  -- when it stopped signing
  constraint signing_keys_times check (
    (status in ('retired', 'withdrawn')) = (ended_at is not null)
    and (status = 'withdrawn' or (status = 'next') = (activated_at is null))) -- a next key can be withdrawn
);
create unique index signing_keys_one_active on signing_keys ((true)) where status = 'active';
create unique index signing_keys_one_next on signing_keys ((true)) where status = 'next';

-- Everything that was issued, delegated and refreshed since one call of issue (decision A11). Its life is `session:ses_…`.
create table passport_sessions (
  id text primary key,
  operator_id text not null,
  started_at timestamptz not null,
  life_seen_at timestamptz,              -- when its life last read it (rule 11)
  -- When the reconciler looks at it next: whether its life has seen a lineage, or whether a deadline has passed. Null: nothing is owed
  -- in it. And the epoch of the store of lives in which its life saw it last; null: in none yet.
  look_at timestamptz,
  life_epoch int
) with (fillfactor = 80);
-- For the reconciler, which reads what is due and nothing else.
create index passport_sessions_due on passport_sessions (life_epoch, look_at) where look_at is not null;

-- A passport and all its refreshes, with one set of obligations (decision A16). Revoking any member revokes the lineage.
create table passport_lineages (
  id text primary key,                   -- the jti of its first passport
  session_id text not null,
  operator_id text not null,
  agent_id text not null,
  root_agent_id text not null,           -- whose grants a refresh is checked against: a child needs none of its own (decision A41)
  parent_lineage_id text,
  depth smallint not null check (depth between 0 and 4),
  -- Of the lineages that it was delegated from, the parent's first and the root's last: what an agent of them may no longer do ends here too.
  agents_above text[] not null default '{}' check (cardinality(agents_above) = depth),
  accountability text not null check (accountability in ('standard', 'logged', 'enforced')),
  checkpoint_interval_seconds double precision,  -- null: no checkpoints are due
  intent text,                           -- JSON as it was sent; null: none was given
  mission_ids text[] not null default '{}',
  started_at timestamptz not null,
  latest_expiry timestamptz not null,    -- of its members; refreshing moves it
  revoked_at timestamptz,
  checkpoint_count int not null default 0,
  last_checkpoint_at timestamptz,
  -- It counts as missed a grace period later (checkpoint_grace). Null: no checkpoint is due any more, or never was.
  next_checkpoint_due_at timestamptz,
  checked_out_at timestamptz,            -- by the agent; a missed checkout does not set it
  checkout_missed_at timestamptz
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02);
create index passport_lineages_of_session on passport_lineages (session_id);
-- A new lineage, and a deadline that comes earlier or comes back, bring the next look at its session forward. A checkpoint, whose
-- next deadline is later, does not.
create function look_at_session() returns trigger language plpgsql as $$
begin
  perform look_at_lineage(new, tg_op = 'INSERT');
  return null;
end $$;
create trigger lineage_is_looked_at after insert on passport_lineages for each row
  when (new.accountability <> 'standard') execute function look_at_session();
create trigger lineage_is_due_earlier after update on passport_lineages for each row
  when (new.accountability <> 'standard' and (new.latest_expiry <> old.latest_expiry or new.revoked_at is distinct from old.revoked_at
    or new.next_checkpoint_due_at < old.next_checkpoint_due_at
    or (old.next_checkpoint_due_at is null and new.next_checkpoint_due_at is not null)))
  execute function look_at_session();
create index passport_lineages_children on passport_lineages (parent_lineage_id) where parent_lineage_id is not null;
create index passport_lineages_of_agent on passport_lineages (agent_id, id);
-- Lineages that must still report. Neither times nor counts are in it, so a checkpoint writes to no index.
create index passport_lineages_accounted on passport_lineages (id)
  where accountability <> 'standard' and checked_out_at is null and checkout_missed_at is null;

-- Generated columns take immutable functions alone, and convert_to() is stable: the encoding of the database never changes.
create function sha256_of_text(p_text text) returns bytea language plpgsql immutable strict parallel safe as $$
begin
  return sha256(convert_to(p_text, 'UTF8'));
end $$;

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
  -- A token counts only where its payload has this digest: the row decides what was issued, not who has a key (decision A17).
  payload_digest bytea not null generated always as (sha256_of_text(payload)) stored,
  status_day date not null,              -- its bit in the status list of that UTC day (decision A43)
  status_index int not null,
  revoked_at timestamptz,
  revoke_reason text,
  revoked_with text                      -- the jti or id that was named, where the revocation of an ancestor included it; null: itself
) with (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_insert_scale_factor = 0.05);
-- jtis sort by creation, so they are the keyset of every list.
create index passports_of_operator on passports (operator_id, jti);
create index passports_of_lineage on passports (lineage_id);
create index passports_of_agent on passports (agent_id, jti);
create index passports_of_session on passports (session_id, jti);
create index passports_revoked on passports (status_day, status_index) where revoked_at is not null;
-- What is active now, for lists and for the scope of a revocation; everything else of an operator is history.
create index passports_active on passports (operator_id, expires_at) where revoked_at is null;

-- By block, since rows are written in about the order in which they expire: what a withdrawn key signed is found in the last blocks.
create index passports_by_expiry on passports using brin (expires_at);

-- Passports are numbered by one sequence; `first` is the number at which the day begins. Their bits are permuted under the key, so that
-- nobody who sees two of them learns how many were issued in between.
create sequence passport_status_numbers;

create table passport_status_days (
  day date primary key,
  first bigint not null,
  key bytea not null default uuid_send(gen_random_uuid())
);

-- Passports, checkpoints and checkouts are metered actions of the operator; the argument is the action.
create function meter_row() returns trigger language plpgsql as $$
begin
  perform meter_action(new.operator_id, tg_argv[0]);
  return null;
end $$;

create trigger passports_metered after insert on passports for each row execute function meter_row('passport');

-- Reports of agents while they work.
create table checkpoints (
  id text primary key,
  lineage_id text not null,
  jti text not null,
  sequence int not null,
  services_used text[] not null,
  tool_calls text not null,              -- JSON
  actions_count double precision not null,
  delegated_to text[] not null,
  summary text,
  submitted_at timestamptz not null,
  claim_id text not null,
  constraint checkpoints_in_order unique (lineage_id, sequence)
);

-- A checkpoint names its operator by its lineage.
create function meter_checkpoint() returns trigger language plpgsql as $$
begin
  perform meter_lineage(new.lineage_id, 'checkpoint');
  return null;
end $$;

create trigger checkpoints_metered after insert on checkpoints for each row execute function meter_checkpoint();

-- One for each lineage: the agent's last report, or that it never came, and the review of it by a person.
create table checkouts (
  id text primary key,
  lineage_id text not null unique,
  session_id text not null,
  operator_id text not null,
  agent_id text not null,
  jti text not null,
  missed boolean not null,               -- it did not come in time
  services_used text[],
  tool_calls text,
  actions_count double precision,
  delegated_to text[],
  summary text,
  submitted_at timestamptz,              -- null: it has not come at all
  claim_id text,
  created_at timestamptz not null,
  review_status text check (review_status in ('pending', 'approved', 'blocked')), -- null: nobody reviews (logged)
  risk text check (risk in ('clean', 'flagged', 'critical')),
  notes text,
  block_future boolean not null default false,
  revoked_count int not null default 0,
  decided_at timestamptz,
  constraint checkouts_reported check ((submitted_at is null) = (claim_id is null) and (submitted_at is not null or missed)),
  constraint checkouts_reviewed check ((review_status is null) = (risk is null)),
  constraint checkouts_decided check (coalesce(review_status in ('approved', 'blocked'), false) = (decided_at is not null))
);
create index checkouts_to_review on checkouts (operator_id, id) where review_status is not null;
create index checkouts_to_decide on checkouts (operator_id, id) where review_status = 'pending';
create index checkouts_holding on checkouts (agent_id) where review_status = 'pending' and risk = 'critical';
create index checkouts_pending on checkouts (session_id) where review_status = 'pending';

-- The public keys that a pending review of risk critical holds beside its agent: those that the agent had until then (decision A30).
create table held_keys (
  operator_id text not null,
  key_thumbprint text not null,
  checkout_id text not null,
  primary key (operator_id, key_thumbprint, checkout_id)
);
create index held_keys_of_checkout on held_keys (checkout_id);

create function hold_keys() returns trigger language plpgsql as $$
begin
  perform hold_keys_of(new);
  return null;
end $$;
create trigger checkouts_hold_keys after insert on checkouts for each row
  when (new.review_status = 'pending' and new.risk = 'critical') execute function hold_keys();
create trigger checkouts_hold_changes after update of review_status, risk on checkouts for each row
  when ((old.review_status = 'pending' and old.risk = 'critical') <> (new.review_status = 'pending' and new.risk = 'critical'))
  execute function hold_keys();

-- A missed checkout has a row before the agent's report fills it.
create trigger checkouts_metered after insert on checkouts for each row when (new.submitted_at is not null) execute function meter_row('checkout');
create trigger checkouts_reported after update of submitted_at on checkouts for each row
  when (old.submitted_at is null and new.submitted_at is not null) execute function meter_row('checkout');

-- What went wrong in a lineage. A flag is raised at most once for an `occasion`: the time a checkpoint was due, the id of the report
-- that showed it, or '' for the lineage.
create table passport_flags (
  id bigint generated always as identity primary key,
  lineage_id text not null,
  jti text not null,
  type text not null check (type in ('undeclared_service', 'scope_violation', 'undeclared_delegation', 'late_checkpoint',
    'missed_checkpoint', 'duration_exceeded', 'missed_checkout')),
  severity text not null check (severity in ('warning', 'critical')),
  occasion text not null,
  message text not null,
  raised_at timestamptz not null,
  constraint passport_flags_once unique (lineage_id, type, occasion)
);

-- For billing and invocations: what a passport was issued for, i.e. its mission where there is exactly one, and its intent in words
-- (decision B24).
create view passport_purposes as
  select p.jti, case when cardinality(l.mission_ids) = 1 then l.mission_ids[1] end as mission_id, l.intent::json ->> 'summary' as summary
  from passports p join passport_lineages l on l.id = p.lineage_id;
