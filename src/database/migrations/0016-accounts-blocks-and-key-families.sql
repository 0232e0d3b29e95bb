-- Every block of an agent: who blocked it, when and why. A block of an agent that is blocked already is one more, since whoever unblocks
-- the agent lifts them all and has to know of each.
create table agent_blocks (
  id bigint generated always as identity primary key,
  agent_id text not null references agents,
  operator_id text not null references operators,
  checkout_id text,                     -- the review that it was decided in; null: it was made before this was kept
  blocked_by text,                      -- as the audit trail names them; null: as above
  reason text,
  blocked_at timestamptz not null,
  lifted_at timestamptz                 -- null: it binds the agent
);
create index agent_blocks_binding on agent_blocks (agent_id, id) where lifted_at is null;

insert into agent_blocks (agent_id, operator_id, blocked_at)
  select id, operator_id, updated_at from agents where status = 'blocked';

-- The key that a person or the platform has made, with all that it has made and that these have made, is one family, named after the first
-- credential. Null: a release that knew no families has made it; the view below counts it as one of its own.
alter table api_keys add column family text;

with recursive made as (
  select id, case when created_by like 'oauth:%' then created_by else id end as family from api_keys
    where created_by is null or created_by not like 'key\_%' or created_by = 'key_platform'
  union all
  select k.id, made.family from api_keys k join made on k.created_by = made.id
)
update api_keys k set family = made.family from made where made.id = k.id;
update api_keys set family = created_by where family is null; -- its maker was deleted

-- For other domains: the keys that there are, with their family and end.
create view key_families as select id, operator_id, coalesce(family, id) as family, expires_at from api_keys;
