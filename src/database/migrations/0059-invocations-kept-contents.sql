-- When input and output were purged: both are JSON null from then on, and their hashes stay (decision B22).
alter table invocations add column if not exists contents_purged_at timestamptz;

-- These indexes are built while nothing is written to the table. Where that takes too long, they are made before, by hand and `concurrently`
-- (docs/operations.md); then nothing is left to do here.

-- What is purged and counted of a consumer: ended, and still there.
create index if not exists invocations_kept on invocations (consumer_operator_id, completed_at)
  where completed_at is not null and contents_purged_at is null;
-- Lists with a filter, in their order.
create index if not exists invocations_mine_by_status on invocations (consumer_operator_id, status, id);
create index if not exists invocations_mine_of_skill on invocations (consumer_operator_id, skill_id, id);
create index if not exists invocations_provided_by_status on invocations (provider_operator_id, status, id);
create index if not exists invocations_provided_of_skill on invocations (provider_operator_id, skill_id, id);
create index if not exists invocations_claimable_of_skill on invocations (provider_operator_id, skill_id, id)
  where status = 'pending' or (status = 'processing' and lease_seconds is not null);
