-- What passports presume (decisions §4): connected services, what of them an agent may use, missions and authority bindings;
-- and what signing asks of them.

-- RFC 7638 over the one kind of key that an agent may have; the members stand in the order that the RFC wants.
alter table agents add column key_thumbprint text generated always as (
  case when public_jwk is not null then
    rtrim(translate(encode(
      sha256(('{"crv":"Ed25519","kty":"OKP","x":"' || (public_jwk ->> 'x') || '"}')::bytea), 'base64'), '+/', '-_'), '=')
  end) stored;

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

-- What an agent may use of a connection. '*' in scopes: all that the connection has; in allow_data_from: every service that is
-- granted to the agent; both at the moment of signing (decisions A4).
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

-- The state of what passes with time, in the order in which it is told.
create function mission_status(p_completed_at timestamptz, p_expires_at timestamptz) returns text language sql volatile as $$
  select case when p_completed_at is not null then 'completed' when p_expires_at <= clock_timestamp() then 'expired' else 'active' end;
$$;

create function authority_binding_status(
  p_revoked_at timestamptz, p_expires_at timestamptz, p_bound_key text, p_current_key text
) returns text language sql volatile as $$
  select case when p_revoked_at is not null then 'revoked' when p_expires_at <= clock_timestamp() then 'expired'
    when p_bound_key is distinct from p_current_key then 'key_changed' else 'active' end;
$$;

-- Changes of what signing depends on. The revision is the id of the transaction that made the last one: it never comes
-- back, not even after a rollback, so facts kept under a revision are either current or never found again. What ends by
-- time changes no revision; the facts say when that is.
create table authority_revisions (
  operator_id text primary key references operators,
  revision bigint not null
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 200);

create function change_authority() returns trigger language plpgsql as $$
declare changed record; operator text;
begin
  if tg_op = 'DELETE' then changed := old; else changed := new; end if;
  if tg_table_name = 'operators' then operator := changed.id; else operator := changed.operator_id; end if;
  insert into authority_revisions as r (operator_id, revision) values (operator, pg_current_xact_id()::text::bigint)
    on conflict (operator_id) do update set revision = excluded.revision where r.revision <> excluded.revision;
  return null;
end $$;

create trigger authority_changes after update on operators for each row
  when (old.status is distinct from new.status) execute function change_authority();

create trigger authority_begins after insert on agents for each row execute function change_authority();
create trigger authority_ends after delete on agents for each row execute function change_authority();
create trigger authority_changes after update on agents for each row
  when ((old.name, old.accountability, old.public_jwk, old.checkpoint_interval_seconds, old.status)
    is distinct from (new.name, new.accountability, new.public_jwk, new.checkpoint_interval_seconds, new.status))
  execute function change_authority();

-- A connection counts by its grants: a new one has none, and with one that goes its grants go.
create trigger authority_changes after update on service_connections for each row
  when ((old.service_id, old.service_name, old.scopes, old.credential_ref, old.status)
    is distinct from (new.service_id, new.service_name, new.scopes, new.credential_ref, new.status))
  execute function change_authority();

create trigger authority_begins after insert on grants for each row execute function change_authority();
create trigger authority_ends after delete on grants for each row execute function change_authority();
create trigger authority_changes after update on grants for each row
  when ((old.scopes, old.constraints::text, old.allow_data_from) is distinct from (new.scopes, new.constraints::text, new.allow_data_from))
  execute function change_authority();

create trigger authority_begins after insert on identity_claims for each row execute function change_authority();
create trigger authority_ends after delete on identity_claims for each row execute function change_authority();
create trigger authority_changes after update on identity_claims for each row
  when (old is distinct from new) execute function change_authority();

create trigger authority_begins after insert on authority_bindings for each row execute function change_authority();
create trigger authority_ends after delete on authority_bindings for each row execute function change_authority();
create trigger authority_changes after update on authority_bindings for each row
  when (old is distinct from new) execute function change_authority();

-- 0 where nothing ever changed.
create function authority_revision(p_operator text) returns bigint language sql stable as $$
  select coalesce((select revision from authority_revisions where operator_id = p_operator), 0);
$$;

-- Of these bindings the ones that are active now, for this agent and its current key (decisions A10).
create function authority_bindings_active(p_bindings text[], p_agent text) returns text[] language sql stable as $$
  select coalesce(array_agg(b.id order by array_position(p_bindings, b.id)), '{}')
  from authority_bindings b join agents a on a.id = b.agent_id
  where b.id = any (p_bindings) and b.agent_id = p_agent
    and authority_binding_status(b.revoked_at, b.expires_at, b.key_thumbprint, a.key_thumbprint) = 'active';
$$;

-- Seconds since 1970, whole ones as in a JWT.
create function epoch_seconds(p_instant timestamptz) returns bigint language sql immutable parallel safe as $$
  select floor(extract(epoch from p_instant))::bigint;
$$;

-- In whole seconds, as a passport tells it: what ends within this second is over, or a passport issued now would carry it.
create function has_ended(p_expires_at timestamptz) returns boolean language sql volatile as $$
  select coalesce(epoch_seconds(p_expires_at) <= epoch_seconds(clock_timestamp()), false);
$$;

-- What signing a passport is composed of, with the end of what ends by itself. Scopes and
-- allow_data_from are what they mean now: '*' expanded, and no scope that the connection has lost (decisions A4, §4). Missions are
-- only named, so they are asked about when the passport is written. Null where the agent is not this operator's.
create function passport_facts_now(p_operator text, p_agent text) returns json language sql stable as $$
  with agent as (
    select a.*, o.status as operator_status from agents a join operators o on o.id = a.operator_id
    where a.id = p_agent and a.operator_id = p_operator
  ), granted as (
    select g.*, c.service_id, c.service_name, c.scopes as connection_scopes, c.credential_ref
    from grants g join service_connections c on c.id = g.connection_id
    where g.agent_id = (select id from agent) and c.status = 'active'
  ), attested as (
    select * from identity_claims
    where operator_id = p_operator and (agent_id is null or agent_id = p_agent)
      and revoked_at is null and not has_ended(expires_at)
  ), bound as (
    select b.* from authority_bindings b join agent a on a.id = b.agent_id
    where authority_binding_status(b.revoked_at, b.expires_at, b.key_thumbprint, a.key_thumbprint) = 'active' and not has_ended(b.expires_at)
  )
  select json_build_object(
    'operator_status', a.operator_status,
    'agent', json_build_object('id', a.id, 'name', a.name, 'status', a.status, 'accountability', a.accountability,
      'checkpoint_interval_seconds', a.checkpoint_interval_seconds, 'key_thumbprint', a.key_thumbprint),
    'grants', (select coalesce(json_agg(json_build_object(
        'connection_id', connection_id, 'service_id', service_id, 'service_name', service_name,
        'connection_scopes', connection_scopes,
        'scopes', (select coalesce(json_agg(scope order by at), '[]') from unnest(connection_scopes) with ordinality as s (scope, at)
          where '*' = any (scopes) or scope = any (scopes)),
        'credential_ref', credential_ref, 'constraints', constraints,
        'allow_data_from', (select coalesce(json_agg(name order by name collate "C"), '[]') from (
          select unnest(array_remove(allow_data_from, '*')) as name
          union select service_name from granted o where '*' = any (g.allow_data_from)
            and connection_scopes <> '{}' and ('*' = any (o.scopes) or o.scopes && connection_scopes)) as sources)
      ) order by connection_id), '[]') from granted g),
    'identity_claims', (select coalesce(json_agg(json_build_object(
        'claim_id', id, 'provider', provider, 'layer', layer, 'claim_type', claim_type, 'assurance_level', assurance_level,
        'verified_at', epoch_seconds(verified_at), 'expires_at', epoch_seconds(expires_at),
        'humanity_verified', humanity_verified, 'agent_id', agent_id, 'inherit', inherit
      ) order by id), '[]') from attested),
    'authority_bindings', (select coalesce(json_agg(json_build_object(
        'binding_id', id, 'binding_version', binding_version, 'binding_claim_id', claim_id, 'binding_digest', binding_digest,
        'receiver_id', receiver_id, 'receiver_profile_version_id', receiver_profile_version_id,
        'expires_at', epoch_seconds(expires_at)
      ) order by id), '[]') from bound))
  from agent a;
$$;

create function digest_of_facts(p_facts json) returns text language sql immutable parallel safe as $$
  select md5(p_facts::text);
$$;

-- The facts of one moment with the revision that they belong to, and with their digest: after a change that was about something
-- else they are the same, and hold on.
create function passport_facts(p_operator text, p_agent text) returns json language sql stable as $$
  select json_build_object('revision', authority_revision(p_operator), 'digest', digest_of_facts(facts), 'facts', facts)
  from passport_facts_now(p_operator, p_agent) as facts where facts is not null;
$$;

-- Whether all these agents have the facts of these digests now.
create function facts_hold(p_operator text, p_agents text[], p_digests text[]) returns boolean language sql stable as $$
  select not exists (select from unnest(p_agents, p_digests) as composed (agent, digest)
    where digest_of_facts(passport_facts_now(p_operator, agent)) is distinct from digest);
$$;

-- Refuses the first mission that the agent cannot name: it is unknown, another agent's or over.
create function refuse_missions(p_operator text, p_agent text, p_missions text[]) returns void language plpgsql as $$
declare refused record;
begin
  select named.id, named.at into refused from unnest(p_missions) with ordinality as named (id, at)
    where not exists (select from missions m where m.id = named.id and m.operator_id = p_operator
      and (m.agent_id is null or m.agent_id = p_agent)
      and mission_status(m.completed_at, m.expires_at) = 'active' and not has_ended(m.expires_at))
    order by named.at limit 1;
  if found then
    perform refuse_field('mission_ids.' || refused.at - 1, format('%s is not an active mission of this agent', refused.id));
  end if;
end $$;

-- The scopes that a connection has now, granted or not (decisions A24).
create function connection_scopes(p_connection text) returns text[] language sql stable as $$
  select scopes from service_connections where id = p_connection;
$$;

-- A person decided against the agent (decisions A31); only a person lifts it. Whoever calls has the operator's passports exclusively.
create function block_agent(p_operator text, p_agent text) returns void language sql as $$
  update agents set status = 'blocked', updated_at = clock_timestamp()
  where id = p_agent and operator_id = p_operator and status <> 'blocked';
$$;
