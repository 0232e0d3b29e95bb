-- Claims: signed statements about agents, their intents and what they did. Operators submit them; the service issues its own in
-- the transaction of the event they are about (decision L24).

create table claims (
  seq bigint generated always as identity primary key, -- the order of lists
  id text not null unique,
  digest text not null unique,           -- sha256:<hex> of the signed bytes: JCS without receipt and co_signatures (decision L5)
  issuer text not null,                  -- no foreign key: it would lock the row of op_platform in every command that issues
  subject text not null,
  claim_type text not null,
  claim_version bigint not null check (claim_version >= 1),
  envelope text not null,                -- JSON as it was submitted: jsonb would change numbers and order
  payload_effective text,                -- the payload with its defaults; null: the same as in the envelope
  schema text not null check (schema in ('v1', 'none')),
  agent_id text,                         -- the payload's, or whom a claim of the service is about
  mission_ref text,
  ends text,                             -- the intent or invocation that it says has ended, for warnings
  operator_ids text[] not null default '{}', -- who reads it in full besides the issuer (decision L24)
  receipt_verified boolean,              -- of the receipt that came with it; null: none did
  passport_jti text,                     -- what it vouches for: revoked with it (decision A19)
  issued_at_ms bigint not null,          -- for filters alone (decision L4)
  revoked_at timestamptz,
  revoke_reason text,
  erased_at timestamptz,                 -- from then on the envelope has no payload (decision L66)
  tombstone_id text,                     -- the claim that says so
  created_at timestamptz not null default clock_timestamp(),
  constraint claims_readers check (cardinality(operator_ids) <= 2 and operator_ids[1] is distinct from operator_ids[2]
    or operator_ids = '{}'),
  constraint claims_reason_of_revocation check (revoke_reason is null or revoked_at is not null),
  constraint claims_erasure check ((erased_at is null) = (tombstone_id is null))
) with (fillfactor = 95, autovacuum_vacuum_insert_scale_factor = 0.05);
-- Lists, newest first. The platform, who issues most claims, reads the whole table. Readers are two at most, so that each has
-- an index in the order of the list; an index over the array has none.
create index claims_of_issuer on claims (issuer, seq) where issuer <> 'op_platform';
create index claims_of_first_reader on claims ((operator_ids[1]), seq) where operator_ids[1] is not null;
create index claims_of_second_reader on claims ((operator_ids[2]), seq) where operator_ids[2] is not null;
create index claims_of_subject on claims (subject, seq);
create index claims_of_agent on claims (agent_id, seq) where agent_id is not null;
create index claims_of_mission on claims (mission_ref, seq) where mission_ref is not null;
create index claims_of_passport on claims (passport_jti) where passport_jti is not null;
-- Whether something was said to have ended before.
create index claims_of_end on claims (ends, issuer, seq) where ends is not null;

-- Which claims the payload of a claim names. A table and no list in the claim: each has a page of what refers to it in the order of lists,
-- however many there are.
create table claim_refs (
  ref text not null,                     -- of a claim that may not be here yet
  seq bigint not null,                   -- of the claim that names it
  primary key (ref, seq)
);

-- A claim is never changed and never deleted. It is revoked once, which changes nothing that it states, and erased once, which takes its
-- payload and what was read from that, and nothing else (decision L21).
create function keep_claims() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' then
    if old.revoked_at is null then
      old.revoked_at := new.revoked_at;
      old.revoke_reason := new.revoke_reason;
    end if;
    if old.erased_at is null and new.erased_at is not null and new.envelope::jsonb = old.envelope::jsonb - 'payload' then
      old.erased_at := new.erased_at;
      old.tombstone_id := new.tombstone_id;
      old.envelope := new.envelope;
      old.payload_effective := null;
      old.agent_id := null;
      old.mission_ref := null;
      old.ends := null;
    end if;
    if old is not distinct from new then return new; end if;
  end if;
  raise exception 'claims are append-only: % is refused', lower(tg_op);
end $$;
create trigger keep_claims before update or delete on claims for each row execute function keep_claims();
create trigger keep_all_claims before truncate on claims for each statement execute function keep_claims();

-- Claims of operators are metered, those of the service are not. At the commit: submitting takes several statements, and until the
-- end of the transaction the usage counter is locked against everything else that the operator does.
create function meter_claim() returns trigger language plpgsql as $$
begin
  perform meter_action(new.issuer, 'claim');
  return null;
end $$;
create constraint trigger claims_metered after insert on claims deferrable initially deferred
  for each row when (new.issuer <> 'op_platform') execute function meter_claim();

-- The log of claims (decision L40): a Merkle tree over the signed bytes of every claim. One row, made when the service starts first. Its key is
-- Ed25519, the private part encrypted. What readers see ends at `published_size`: up to there the head stands outside of this database too.
create table claim_log (
  one boolean primary key default true check (one),
  id text not null unique,
  origin text not null,                  -- names the log in its checkpoints, for ever
  kid text not null,
  x text not null,
  private_key text not null,
  tree_size bigint not null default 0 check (tree_size >= 0),
  root_hash bytea not null check (octet_length(root_hash) = 32),
  published_size bigint not null default 0,
  stopped_reason text,                   -- why nothing is appended; null: it runs
  stopped_at timestamptz,
  unproven_since timestamptz,            -- the head was taken from this database, and nobody has confirmed it since (decision L75)
  unproven_size bigint,                  -- how much was published then
  damaged_index bigint,                  -- the place of a claim whose proof did not lead to the signed root; null: none is known (decision L81)
  witnessed_size bigint,                 -- the largest tree that the log and a witness have signed and that was not here; null: none is known
  witnessed_root bytea,
  life_seen_at timestamptz,
  woken_at timestamptz,                  -- by the reconciler, last
  created_at timestamptz not null default clock_timestamp(),
  constraint claim_log_published check (published_size between 0 and tree_size),
  constraint claim_log_stopped check ((stopped_reason is null) = (stopped_at is null)),
  constraint claim_log_witnessed check ((witnessed_size is null) = (witnessed_root is null)),
  constraint claim_log_unproven check ((unproven_since is null) = (unproven_size is null))
) with (fillfactor = 10);                -- one row, written several times a second

-- Claims that are not in the log yet, written with them. Ids are not in the order of commits: the life of the log numbers what it finds here.
create table log_pending (
  seq bigint generated always as identity primary key,
  claim_id text not null unique,
  leaf_hash bytea not null check (octet_length(leaf_hash) = 32),
  created_at timestamptz not null default clock_timestamp()
) with (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_cost_delay = 0);

-- Which claim is which leaf. No foreign key: it would lock and write the row of each claim once more, and claims are never deleted.
create table log_entries (
  log_index bigint primary key check (log_index >= 0),
  claim_id text not null unique
) with (autovacuum_vacuum_insert_scale_factor = 0.05);

-- The complete nodes of the tree: level 0 has the hashes of the leaves, a node of another level that of two below it.
create table log_nodes (
  level smallint not null check (level between 0 and 62),
  index bigint not null check (index >= 0),
  hash bytea not null check (octet_length(hash) = 32),
  primary key (level, index)
) with (autovacuum_vacuum_insert_scale_factor = 0.05);

-- One a batch, and one of the empty tree. What a receipt shows is fixed here when its batch is appended.
create table log_checkpoints (
  tree_size bigint primary key,
  note text not null,                    -- size and root, signed (C2SP signed-note)
  registry text not null,                -- the address of the service then
  created_at timestamptz not null default clock_timestamp()
);

-- What was published is never changed and never deleted: somebody may hold a receipt of it.
create function keep_log() returns trigger language plpgsql as $$
begin
  raise exception '% is append-only: % is refused', tg_table_name, lower(tg_op);
end $$;
create trigger keep_log before update or delete on log_entries for each row execute function keep_log();
create trigger keep_all_log before truncate on log_entries for each statement execute function keep_log();
create trigger keep_log before update or delete on log_nodes for each row execute function keep_log();
create trigger keep_all_log before truncate on log_nodes for each statement execute function keep_log();
create trigger keep_log before update or delete on log_checkpoints for each row execute function keep_log();
create trigger keep_all_log before truncate on log_checkpoints for each statement execute function keep_log();

-- Co-signatures: somebody else signed the bytes that the digest of a claim is of (decision L51). They are not in the leaf, so that they may
-- come later. No foreign key, as of log_entries.
create table claim_co_signatures (
  seq bigint generated always as identity primary key,
  claim_id text not null,
  digest text not null,                  -- of role, kid and message: the same ones are kept once
  signer_kid text not null,
  signer_role text not null check (signer_role in ('operator_attestation', 'agent_self', 'witness')),
  cose_sign1 text not null,              -- as it was sent
  public_jwk jsonb,                      -- the key that verified it; null: none was known when it was sent
  verified_at timestamptz,
  unverified_reason text,                -- why no key verified it when it came
  added_by text not null,                -- the operator whose share of the places it takes (decision L73)
  created_at timestamptz not null default clock_timestamp(),
  unique (claim_id, digest),
  constraint claim_co_signatures_verified check ((public_jwk is null) = (verified_at is null)),
  constraint claim_co_signatures_reason check ((public_jwk is null) = (unverified_reason is not null))
);
-- One change is left: an unverified one is verified by its key, once that is known (decision L91).
create trigger keep_log before update on claim_co_signatures for each row
  when (old.public_jwk is not null or new.public_jwk is null
    or row(old.seq, old.claim_id, old.digest, old.signer_kid, old.signer_role, old.cose_sign1, old.added_by, old.created_at)
      is distinct from row(new.seq, new.claim_id, new.digest, new.signer_kid, new.signer_role, new.cose_sign1, new.added_by,
        new.created_at))
  execute function keep_log();
create trigger keep_deleted_log before delete on claim_co_signatures for each row execute function keep_log();
create trigger keep_all_log before truncate on claim_co_signatures for each statement execute function keep_log();

-- What witnesses signed of checkpoints: lines that stand under the note (C2SP tlog-cosignature), verified when they came.
create table log_cosignatures (
  tree_size bigint not null,             -- of a checkpoint that is published
  name text not null,
  key_id text not null,
  line text not null,
  created_at timestamptz not null default clock_timestamp(),
  primary key (tree_size, name, key_id)
);
create index log_cosignatures_of_key on log_cosignatures (name, key_id, tree_size);
create trigger keep_log before update or delete on log_cosignatures for each row execute function keep_log();
create trigger keep_all_log before truncate on log_cosignatures for each statement execute function keep_log();
