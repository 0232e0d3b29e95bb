-- Lists of what an operator has, newest first. Where building them takes too long, they are made before, by hand and `concurrently`
-- (docs/operations.md); then nothing is left to do here.
create index if not exists top_ups_of_operator on top_ups (operator_id, id);
create index if not exists refunds_of_operator on refunds (operator_id, id);
create index if not exists receivables_of_operator on receivables (operator_id, created_at, id);
create index if not exists holds_of_operator on holds (operator_id, id) where status = 'held';
