-- Operators, their keys, agents and identity claims (decisions §4).
create table operators (
  id text primary key,
  name text not null,
  email text not null,
  status text not null default 'active' check (status in ('active', 'suspended')),
  tier text not null default 'free' check (tier in ('free', 'developer', 'pro', 'business', 'enterprise')),
  commission_bps int check (commission_bps between 0 and 10000),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);

insert into operators (id, name, email, tier) values ('op_platform', 'Carnet platform', 'platform@carnet.invalid', 'enterprise');

create table agents (
  id text primary key,
  operator_id text not null references operators,
  name text not null,
  accountability text not null default 'standard' check (accountability in ('standard', 'logged', 'enforced')),
  public_jwk jsonb,
  checkpoint_interval_seconds double precision,
  monthly_limit_cents bigint check (monthly_limit_cents >= 0),
  status text not null default 'active' check (status in ('active', 'blocked', 'disabled')),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create index agents_of_operator on agents (operator_id, id desc);

create table api_keys (
  id text primary key,
  operator_id text not null references operators,
  name text not null,
  kind text not null check (kind in ('operator', 'agent')),
  role text check (role in ('admin', 'member')),
  agent_id text references agents,
  secret_hash bytea not null,           -- SHA-256; the key itself is shown once and never kept
  last4 text not null,
  monthly_limit_cents bigint check (monthly_limit_cents >= 0),
  expires_at timestamptz,
  last_used_at timestamptz,
  created_at timestamptz not null default now(),
  constraint api_keys_shape check ((kind = 'operator') = (role is not null) and (kind = 'agent') = (agent_id is not null))
);
create unique index api_keys_secret on api_keys (secret_hash);
create index api_keys_of_operator on api_keys (operator_id, id desc);

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
