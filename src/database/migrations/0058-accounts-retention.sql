-- For how long contents are kept, by tier, and how many bytes of them an operator may keep. Of a tier that this table lacks nothing is purged.
create table tier_retention (
  content text not null,                 -- as activities/retention.ts names it
  tier text not null references tiers,
  kept_for interval,                     -- null: until its operator erases it
  primary key (content, tier)
);
insert into tier_retention (content, tier, kept_for)
  select content, name, audit_retention from tiers,
    unnest(array['audit_events', 'invocation_contents', 'inbound_contents']) as contents (content);
insert into tier_retention (content, tier, kept_for)
  select content, name, null from tiers, unnest(array['claim_payloads', 'skill_requests']) as contents (content);
comment on column tiers.audit_retention is 'Of releases before 0058: tier_retention has it, for each content.';

-- Since when an operator keeps contents: what is older was to be erased at that moment. A row an operator.
create table content_erasures (
  operator_id text primary key references operators,
  kept_from timestamptz not null,
  purged_at timestamptz                  -- when nothing of it was left; null: it is under way
);
create index content_erasures_due on content_erasures (operator_id) where purged_at is null;

-- What is purged of each operator is older than `kept_from`; null: nothing is. The audit trail outlives an erasure.
create view operator_retention as
  select o.id as operator_id, r.content,
    greatest(clock_timestamp() - r.kept_for, case when r.content <> 'audit_events' then e.kept_from end) as kept_from
  from operators o join tier_retention r on r.tier = o.tier left join content_erasures e on e.operator_id = o.id;

-- For other domains: what operators have requested, and what came of it.
create view operator_erasures as select operator_id, kept_from, purged_at from content_erasures;

-- The bytes of contents that an operator keeps, as of `counted_to`. The steps of retention alone change a row: no command locks one.
create table content_bytes (
  operator_id text not null references operators,
  content text not null,
  bytes bigint not null default 0,
  counted_to timestamptz not null default '-infinity',
  primary key (operator_id, content)
) with (fillfactor = 50);

alter table tiers add column storage_bytes bigint; -- null: without limit
update tiers set storage_bytes = limits.gibibytes * 1073741824::bigint
  from (values ('free', 1), ('developer', 10), ('pro', 100), ('business', 500)) as limits (name, gibibytes)
  where tiers.name = limits.name;

create or replace view operator_tiers as
  select o.id as operator_id, o.tier, t.metered_actions, t.seats, t.seat_ceiling, t.audit_retention, t.l3_classifications, t.sms, t.email,
    t.storage_bytes
  from operators o join tiers t on t.name = o.tier;

-- For other domains: the bytes that operators keep of all contents.
create view operator_storage as
  select operator_id, sum(bytes)::bigint as bytes, max(counted_to) as counted_to from content_bytes group by operator_id;

-- When the texts of a closed request were purged.
alter table skill_requests add column if not exists text_purged_at timestamptz;
create index if not exists skill_requests_kept on skill_requests (operator_id, updated_at) where status <> 'open' and text_purged_at is null;
