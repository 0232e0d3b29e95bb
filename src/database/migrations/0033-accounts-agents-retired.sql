-- Retirement is a fact beside `status`: a block covers `disabled`, and an agent that is unblocked is as retired as it was before. A row that
-- the release before retires has no `retired_at`, so `disabled` alone counts as retired too; one that it makes active keeps its
-- `retired_at`, and stays retired until a person brings the agent back in this release.
alter table agents add column retired_at timestamptz; -- null: not retired, unless `status` is disabled
update agents set retired_at = updated_at where status = 'disabled';

create or replace view agent_identities as
  select a.id, a.operator_id, a.name, case when a.status = 'active' and a.retired_at is not null then 'disabled' else a.status end as status,
    a.accountability, a.checkpoint_interval_seconds, a.key_thumbprint, o.status as operator_status
  from agents a join operators o on o.id = a.operator_id;
