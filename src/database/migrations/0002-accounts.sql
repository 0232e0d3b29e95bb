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

create index operators_suspended on operators (id) where status = 'suspended';

insert into operators (id, name, email, tier) values ('op_platform', 'Carnet platform', 'platform@carnet.invalid', 'enterprise');

create table agents (
  id text primary key,
  operator_id text not null references operators,
  name text not null,
  accountability text not null default 'standard' check (accountability in ('standard', 'logged', 'enforced')),
  public_jwk jsonb,
  checkpoint_interval_seconds double precision check (checkpoint_interval_seconds between 60 and 3600),
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

-- The number behind an assurance level (decisions K21); an unknown level counts 0. Its twin is src/accounts/assurance.ts.
create function assurance_rank(level text) returns int language sql immutable parallel safe as $$
  select case lower(level)
    when 'l1' then 1 when 'low' then 1 when 'basic' then 1 when 'ial1' then 1 when '1' then 1
    when 'l2' then 2 when 'substantial' then 2 when 'medium' then 2 when 'ial2' then 2 when '2' then 2
    when 'l3' then 3 when 'high' then 3 when 'ial3' then 3 when '3' then 3
    else 0 end;
$$;

-- The trust a caller has (decisions K45): the highest of the operator's own claims and, where an agent is named, that agent's;
-- revoked and expired ones do not count. 0 to 3.
create function trust_level_of(p_operator text, p_agent text) returns int language sql stable parallel safe as $$
  select coalesce(max(assurance_rank(assurance_level)), 0) from identity_claims
  where operator_id = p_operator and (agent_id is null or agent_id = p_agent)
    and revoked_at is null and (expires_at is null or expires_at > now());
$$;
