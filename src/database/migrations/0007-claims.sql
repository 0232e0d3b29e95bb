-- Claims: signed statements about agents, what they meant to do and what became of it (Claims §1). Operators submit them;
-- the service issues its own inside the transaction of what they speak of (decisions L24).

-- 48 bits of milliseconds by Postgres' clock and 80 random bits, in Crockford's base 32: as src/ids.ts makes them, for rows
-- that are made inside a function. Of a version 4 UUID the bytes 0 to 5 and 9 to 15 are random; twelve of them are sixteen
-- digits of base 64, and two of its digits stand for one of base 32.
create function new_ulid() returns text language plpgsql volatile parallel safe as $$
declare
  digits constant text := '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
  ms constant bigint := floor(extract(epoch from clock_timestamp()) * 1000);
  random constant bytea := uuid_send(gen_random_uuid());
begin
  return substr(digits, (ms >> 45)::int + 1, 1) || substr(digits, (ms >> 40 & 31)::int + 1, 1)
    || substr(digits, (ms >> 35 & 31)::int + 1, 1) || substr(digits, (ms >> 30 & 31)::int + 1, 1)
    || substr(digits, (ms >> 25 & 31)::int + 1, 1) || substr(digits, (ms >> 20 & 31)::int + 1, 1)
    || substr(digits, (ms >> 15 & 31)::int + 1, 1) || substr(digits, (ms >> 10 & 31)::int + 1, 1)
    || substr(digits, (ms >> 5 & 31)::int + 1, 1) || substr(digits, (ms & 31)::int + 1, 1)
    || translate(encode(substr(random, 1, 5) || substr(random, 10), 'base64'),
      'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/', digits || digits);
end $$;

-- new_prefixed_id('pc') is pc_01K…
create function new_prefixed_id(prefix text) returns text language sql volatile parallel safe as $$
  select prefix || '_' || new_ulid();
$$;

-- A text as RFC 8785 (JCS) writes it; null is `null`. Postgres escapes JSON strings exactly so: the short escapes, \u00xx in
-- lower case for the other control characters, everything else as it is.
create function jcs_text(value text) returns text language sql immutable parallel safe as $$
  select coalesce(to_json(value)::text, 'null');
$$;

create table claims (
  seq bigint generated always as identity primary key, -- the order of lists
  id text not null unique,
  digest text not null unique,           -- sha256:<hex> of the signed bytes: JCS without receipt and co_signatures (decisions L5)
  issuer text not null,                  -- no foreign key: it would lock the row of op_platform in every command that issues
  subject text not null,
  claim_type text not null,
  claim_version bigint not null check (claim_version >= 1),
  envelope text not null,                -- JSON as it was submitted: jsonb would change numbers and order
  payload_effective text,                -- the payload with its defaults; null: the same as in the envelope
  schema text not null check (schema in ('v1', 'none')),
  agent_id text,                         -- the payload's, or whom a claim of the service is about
  mission_ref text,
  operator_ids text[] not null default '{}', -- who reads it in full besides the issuer (decisions L24)
  passport_jti text,                     -- what it vouches for: revoked with it (decisions A19)
  issued_at_ms bigint not null,          -- for filters alone (decisions L4)
  revoked_at timestamptz,
  revoke_reason text,
  created_at timestamptz not null default clock_timestamp(),
  constraint claims_readers check (cardinality(operator_ids) <= 2 and operator_ids[1] is distinct from operator_ids[2]
    or operator_ids = '{}'),
  constraint claims_reason_of_revocation check (revoke_reason is null or revoked_at is not null)
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

-- A claim is never changed and never deleted; it is revoked once, beside what it says (decisions L21).
create function keep_claims() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' and old.revoked_at is null then
    old.revoked_at := new.revoked_at;
    old.revoke_reason := new.revoke_reason;
    if old is not distinct from new then return new; end if;
  end if;
  raise exception 'claims are append-only: % is refused', lower(tg_op);
end $$;
create trigger keep_claims before update or delete on claims for each row execute function keep_claims();
create trigger keep_all_claims before truncate on claims for each statement execute function keep_claims();

-- Records a claim of the service: issuer op_platform, issued now by Postgres' clock in seconds (decisions L24). The payload is
-- JCS, with every default filled in; p_operators are those who read it in full, nulls and repetitions left out. The same
-- statement in the same second is the same claim. Returns its id.
create function issue_claim(
  p_type text, p_subject text, p_payload text, p_agent text, p_mission text, p_operators text[], p_passport text default null
) returns text language plpgsql as $$
declare
  seconds constant bigint := floor(extract(epoch from clock_timestamp()));
  head constant text := '{"claim_type":' || jcs_text(p_type) || ',"claim_version":1,"envelope_version":1,"issued_at":' || seconds
    || ',"issuer":"op_platform","payload":' || p_payload;
  tail constant text := ',"subject":' || jcs_text(p_subject) || '}';
  v_digest constant text := 'sha256:' || encode(sha256(convert_to(head || tail, 'UTF8')), 'hex');
  v_readers text[] := array_remove(p_operators, null);
  v_id text;
begin
  if v_readers[1] = v_readers[2] then v_readers := v_readers[1:1]; end if;
  insert into claims (id, digest, issuer, subject, claim_type, claim_version, envelope, schema, agent_id, mission_ref, operator_ids,
      passport_jti, issued_at_ms)
    values ('pc_' || new_ulid(), v_digest, 'op_platform', p_subject, p_type, 1, head || ',"receipt":null' || tail,
      claim_schema_of(p_type), p_agent, p_mission, v_readers, p_passport, seconds * 1000)
    on conflict (digest) do nothing
    returning id into v_id;
  if v_id is null then select id into strict v_id from claims where digest = v_digest; end if;
  return v_id;
end $$;

-- Which shape the payload of a type has; 'none': any JSON (decisions L8, L9).
create function claim_schema_of(p_type text) returns text language sql immutable parallel safe as $$
  select case when p_type in ('svid_attestation', 'workload_attestation', 'rats_evidence', 'slsa_provenance', 'c2pa_assertion',
    'ai_bom_ref', 'intent_claim', 'intent_outcome', 'intent_denial', 'intent_simulation', 'entity_observation', 'detector_signal',
    'skill_invocation', 'checkpoint_approval') then 'v1' else 'none' end;
$$;

-- Revokes the claims that vouch for these passports (decisions A19). Returns how many it revoked.
create function revoke_claims_of_passports(p_jtis text[], p_reason text) returns int language plpgsql as $$
declare revoked int;
begin
  update claims set revoked_at = clock_timestamp(), revoke_reason = p_reason
    where passport_jti = any(p_jtis) and revoked_at is null;
  get diagnostics revoked = row_count;
  return revoked;
end $$;
