-- Who may act: operators, their people, their agents and the keys of both, and the tier that limits how much they may do.

-- What a tier allows; null: without limit. `rank` orders them: a change to a higher one is an upgrade.
create table tiers (
  name text primary key,
  rank int not null unique,
  metered_actions bigint,               -- a UTC month
  seats int,                            -- that come with it, owner included
  seat_ceiling int,                     -- with bought ones
  audit_retention interval not null,
  l3_classifications bigint,            -- a UTC month, as the two below
  sms bigint,
  email bigint
);

insert into tiers values
  ('free', 0, 25000, 2, 2, '7 days', 0, 0, 100),
  ('developer', 1, 250000, 3, 5, '30 days', 2000, 10, 1000),
  ('pro', 2, 1500000, 5, 10, '12 months', 10000, 50, 5000),
  ('business', 3, 10000000, 25, null, '24 months', 25000, 250, 10000),
  ('enterprise', 4, null, null, null, '12 months', null, null, null);

create table operators (
  id text primary key,
  name text not null,
  email text not null,
  -- The address was given at registration, or somebody entered a code that was sent to it.
  email_registered boolean not null default true,
  status text not null default 'active' check (status in ('active', 'suspended')),
  tier text not null default 'free' constraint operators_tier_known references tiers,
  commission_bps int check (commission_bps between 0 and 10000), -- of their earnings; null: the rate of the settings
  -- Where earnings are paid out to: the operator's account at the payment provider.
  payout_account text constraint operators_payout_account check (payout_account ~ '^acct_[A-Za-z0-9]{1,64}$'),
  -- The wallet is low when less than this is available; null: it never is.
  low_balance_cents bigint check (low_balance_cents > 0),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create index operators_suspended on operators (id) where status = 'suspended';

-- Public keys by which an operator co-signs claims (decision L52). Two operators may have the same one.
create table operator_public_keys (
  operator_id text not null references operators,
  kid text not null,                    -- RFC 7638 thumbprint
  public_jwk jsonb not null,
  created_at timestamptz not null default clock_timestamp(),
  primary key (operator_id, kid)
);
create index operator_public_keys_kid on operator_public_keys (kid);

-- The service itself: issuer of its claims, owner of nothing. Nobody signs in as the platform, it has its key alone (decision C5).
insert into operators (id, name, email, tier) values ('op_platform', 'Carnet platform', 'platform@carnet.invalid', 'enterprise');

-- The people of an operator. The holder of its registered e-mail address is the first one, its owner; everybody else is invited, and
-- is a member once they have signed in to it.
create table members (
  id text primary key,
  operator_id text not null references operators,
  email text not null,
  role text not null check (role in ('owner', 'admin', 'member')),
  joined_at timestamptz,                -- null: invited
  created_at timestamptz not null default clock_timestamp()
);
create unique index members_email on members (operator_id, lower(email));
create index members_of_address on members (lower(email));

-- A partner of an operator: with its keys somebody else makes agents and inbound endpoints for these providers, and sees no others. A
-- grant that is deleted stays as a row: what was made under it names it.
create table partner_grants (
  id text primary key,
  operator_id text not null references operators,
  name text not null,
  providers text[] not null check (cardinality(providers) > 0),
  deleted_at timestamptz,
  created_at timestamptz not null default clock_timestamp()
);
create index partner_grants_of_operator on partner_grants (operator_id, id desc) where deleted_at is null;

-- An agent of an operator. Whether it may get passports depends on `status`; what they may state, on authority (0007).
create table agents (
  id text primary key,
  operator_id text not null references operators,
  name text not null,
  accountability text not null default 'standard' check (accountability in ('standard', 'logged', 'enforced')),
  public_jwk jsonb,
  -- RFC 7638 over the one kind of key that an agent may have; the members stand in the order that the RFC requires.
  key_thumbprint text generated always as (
    case when public_jwk is not null then
      rtrim(translate(encode(
        sha256(('{"crv":"Ed25519","kty":"OKP","x":"' || (public_jwk ->> 'x') || '"}')::bytea), 'base64'), '+/', '-_'), '=')
    end) stored,
  checkpoint_interval_seconds double precision check (checkpoint_interval_seconds between 60 and 3600),
  monthly_limit_cents bigint check (monthly_limit_cents >= 0),
  status text not null default 'active' check (status in ('active', 'blocked', 'disabled')),
  partner_grant_id text references partner_grants, -- whose key registered it; null: the operator's own
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create index agents_of_operator on agents (operator_id, id desc);
create index agents_of_key on agents (key_thumbprint) where key_thumbprint is not null;
create index agents_of_grant on agents (partner_grant_id, id desc) where partner_grant_id is not null;

-- Every public key that an agent has or had: a hold and a block bind them all, whoever takes one off (decision A31). `barred`: the agent
-- is blocked.
create table agent_public_keys (
  agent_id text not null references agents,
  operator_id text not null references operators,
  key_thumbprint text not null,
  barred boolean not null default false,
  primary key (agent_id, key_thumbprint)
);
create index agent_public_keys_barred on agent_public_keys (operator_id, key_thumbprint) where barred;

create function remember_key() returns trigger language plpgsql as $$
begin
  perform remember_public_key(new.operator_id, new.id, new.key_thumbprint);
  return null;
end $$;
create trigger agents_key_kept after insert or update of public_jwk on agents for each row
  when (new.key_thumbprint is not null) execute function remember_key();

create function bar_keys() returns trigger language plpgsql as $$
begin
  perform bar_public_keys(new.id, new.status = 'blocked');
  return null;
end $$;
create trigger agents_keys_barred after update of status on agents for each row
  when ((old.status = 'blocked') <> (new.status = 'blocked')) execute function bar_keys();

-- `kind` operator: acts as the operator, in a role. agent: acts as one agent, with a monthly budget of its own. partner: does what its
-- grant allows.
create table api_keys (
  id text primary key,
  operator_id text not null references operators,
  name text not null,
  kind text not null check (kind in ('operator', 'agent', 'partner')),
  role text check (role in ('admin', 'member')),
  agent_id text references agents,
  partner_grant_id text references partner_grants,
  secret_hash bytea not null,           -- SHA-256; the key itself is shown once and never kept
  last4 text not null,
  monthly_limit_cents bigint check (monthly_limit_cents >= 0),
  expires_at timestamptz,
  last_used_at timestamptz,
  created_by text,                      -- the credential that made it; null: the first start
  person_id text,                       -- the member behind that; null: it cannot be told
  created_at timestamptz not null default now(),
  constraint api_keys_shape check ((kind = 'operator') = (role is not null) and (kind = 'agent') = (agent_id is not null)
    and (kind = 'partner') = (partner_grant_id is not null))
);
create unique index api_keys_secret on api_keys (secret_hash);
create index api_keys_of_operator on api_keys (operator_id, id desc);
create index api_keys_of_grant on api_keys (partner_grant_id) where partner_grant_id is not null;

-- Audit events about money that are older than the tier keeps the rest: moved here, and never purged (decision B22). In the trail
-- itself they would stand before what is to be purged, and every purge would read them again.
create table kept_audit_events (
  id bigint primary key,
  operator_id text not null,
  actor text not null,
  action text not null,
  target text not null,
  detail jsonb not null,
  request_id text,
  created_at timestamptz not null
);
create index kept_audit_events_of_operator on kept_audit_events (operator_id, id desc);

-- For other domains, which read views of accounts and no tables.

-- A person as a member of an operator, or invited to be one.
create view memberships as
  select m.id, m.email, m.role, m.operator_id, m.joined_at is not null as joined, o.name as operator_name,
    o.status = 'suspended' as suspended
  from members m join operators o on o.id = m.operator_id;

-- What payouts need to know of an operator.
create view payees as
  select id as operator_id, payout_account, commission_bps, status = 'active' as active from operators;

-- Whether an operator is suspended.
create view operator_standings as
  select id as operator_id, status, status = 'suspended' as suspended from operators;

-- What the operator's tier allows now.
create view operator_tiers as
  select o.id as operator_id, o.tier, t.metered_actions, t.seats, t.seat_ceiling, t.audit_retention, t.l3_classifications, t.sms, t.email
  from operators o join tiers t on t.name = o.tier;

-- What can be bought on a tier.
create view tier_seats as select name, seats, seat_ceiling from tiers;

create view agent_names as select id, name from agents;

-- An agent as its passports name it, and whether its operator may act.
create view agent_identities as
  select a.id, a.operator_id, a.name, a.status, a.accountability, a.checkpoint_interval_seconds, a.key_thumbprint, o.status as operator_status
  from agents a join operators o on o.id = a.operator_id;

-- The public keys that an agent has or had.
create view public_keys as select agent_id, operator_id, key_thumbprint, barred from agent_public_keys;
