-- What agents may do: their identity claims, the services they are connected to, grants, missions and authority bindings; and the
-- revision that shows whether any of it has changed since a passport was composed.

-- The revision of an operator's authority is the id of the transaction that changed it last. Such an id never comes back, not even
-- after a rollback, so facts cached under a revision are either current or never found again. What ends by time changes no
-- revision; the facts state when that is.
create table authority_revisions (
  operator_id text primary key references operators,
  revision bigint not null
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 200);

create function change_authority_of_itself() returns trigger language plpgsql as $$
begin
  perform revise_authority(new.id);
  return null;
end $$;
create trigger authority_changes after update on operators for each row
  when (old.status is distinct from new.status) execute function change_authority_of_itself();

-- Of a row that begins there is no old one, of a row that ends no new one.
create function change_authority() returns trigger language plpgsql as $$
begin
  perform revise_authority(coalesce(new.operator_id, old.operator_id));
  return null;
end $$;
create trigger authority_begins after insert on agents for each row execute function change_authority();
create trigger authority_ends after delete on agents for each row execute function change_authority();
create trigger authority_changes after update on agents for each row
  when ((old.name, old.accountability, old.public_jwk, old.checkpoint_interval_seconds, old.status)
    is distinct from (new.name, new.accountability, new.public_jwk, new.checkpoint_interval_seconds, new.status))
  execute function change_authority();

-- Who vouches for an operator or one of its agents, and how surely.
create table identity_claims (
  id text primary key,
  operator_id text not null references operators,
  agent_id text references agents,      -- null: the account's own claim
  provider text not null,
  layer text not null,
  claim_type text not null,
  assurance_level text not null,
  inherit boolean not null default true,
  humanity_verified boolean not null default false,
  verified_at timestamptz not null default now(),
  expires_at timestamptz,
  revoked_at timestamptz,
  created_at timestamptz not null default now()
);
create index identity_claims_of_operator on identity_claims (operator_id, id desc);
create trigger authority_begins after insert on identity_claims for each row execute function change_authority();
create trigger authority_ends after delete on identity_claims for each row execute function change_authority();
create trigger authority_changes after update on identity_claims for each row
  when (old is distinct from new) execute function change_authority();

-- Services of an operator that its agents may be granted.
create table service_connections (
  id text primary key,
  operator_id text not null references operators,
  service_id text not null,
  -- Never '*', which stands for all of them in grants.
  service_name text not null check (service_name <> '*'),
  scopes text[] not null check ('*' <> all (scopes)),
  credential_ref text,
  status text not null default 'active' check (status in ('active', 'disabled')),
  created_at timestamptz not null default clock_timestamp(),
  updated_at timestamptz not null default clock_timestamp(),
  constraint service_connections_operator_id_service_name_key unique (operator_id, service_name)
);
create index service_connections_of_operator on service_connections (operator_id, id desc);
-- A connection counts by its grants: a new one has none, and deleting one deletes its grants.
create trigger authority_changes after update on service_connections for each row
  when ((old.service_id, old.service_name, old.scopes, old.credential_ref, old.status)
    is distinct from (new.service_id, new.service_name, new.scopes, new.credential_ref, new.status))
  execute function change_authority();

-- What an agent may use of a connection. '*' in scopes: all that the connection has; in allow_data_from: every service that is
-- granted to the agent. Both are expanded at the moment of signing (decision A4).
create table grants (
  agent_id text not null references agents,
  connection_id text not null references service_connections on delete cascade,
  operator_id text not null references operators,
  scopes text[] not null,
  constraints json not null default '[]',
  allow_data_from text[] not null default '{}',
  created_at timestamptz not null default clock_timestamp(),
  updated_at timestamptz not null default clock_timestamp(),
  primary key (agent_id, connection_id)
);
create index grants_of_connection on grants (connection_id);
create trigger authority_begins after insert on grants for each row execute function change_authority();
create trigger authority_ends after delete on grants for each row execute function change_authority();
create trigger authority_changes after update on grants for each row
  when ((old.scopes, old.constraints::text, old.allow_data_from) is distinct from (new.scopes, new.constraints::text, new.allow_data_from))
  execute function change_authority();

-- What an operator wants done, in words; passports and invocations name it.
create table missions (
  id text primary key,
  operator_id text not null references operators,
  agent_id text references agents,      -- null: any agent of the operator
  declared_intent text not null,
  claim_id text not null,               -- the `mission` claim that records it
  expires_at timestamptz,
  completed_at timestamptz,
  created_at timestamptz not null default clock_timestamp()
);
create index missions_of_operator on missions (operator_id, id desc);
create index missions_open on missions (operator_id) where completed_at is null;

-- An agent's key bound to a profile of a receiver of its passports.
create table authority_bindings (
  id text primary key,
  operator_id text not null references operators,
  agent_id text not null references agents,
  key_thumbprint text not null,         -- the agent's key when it was bound; another one makes the binding inactive
  receiver_id text not null,
  receiver_profile_version_id text not null,
  binding_version int not null default 1,
  document text not null,               -- JCS
  binding_digest text not null,         -- sha256:<hex> of the document
  claim_id text not null,               -- the `authority_binding` claim that records it
  expires_at timestamptz not null,
  revoked_at timestamptz,
  created_at timestamptz not null default clock_timestamp()
);
create index authority_bindings_of_operator on authority_bindings (operator_id, id desc);
create index authority_bindings_of_agent on authority_bindings (agent_id) where revoked_at is null;
create trigger authority_begins after insert on authority_bindings for each row execute function change_authority();
create trigger authority_ends after delete on authority_bindings for each row execute function change_authority();
create trigger authority_changes after update on authority_bindings for each row
  when (old is distinct from new) execute function change_authority();

-- For statements of billing, which name the mission that something was paid for.
create view mission_intents as select id, declared_intent from missions;
