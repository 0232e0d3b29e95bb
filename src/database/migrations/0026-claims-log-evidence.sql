-- What the log states of a batch besides its root, signed when the batch is appended: its registry and its time. Null: the batch is from before,
-- and is signed as it stood, once (decision L103).
alter table log_checkpoints add column registration text;
create index log_checkpoints_unregistered on log_checkpoints (tree_size) where registration is null;
drop trigger keep_log on log_checkpoints;
-- One change is left: a registration is added to a batch that has none.
create trigger keep_log before update on log_checkpoints for each row
  when (old.registration is not null or new.registration is null
    or row(old.tree_size, old.note, old.registry, old.created_at) is distinct from row(new.tree_size, new.note, new.registry, new.created_at))
  execute function keep_log();
create trigger keep_deleted_log before delete on log_checkpoints for each row execute function keep_log();

alter table claim_log
  add column confirmed_size bigint,      -- the head of this size was confirmed, and stands in no file yet
  add column registered_from text,       -- a signed note: the size from which on every batch has a registration; null: none has yet
  add column contradicted_by text,       -- the key of a witness that knows another tree than this one; null: none does (decision L104)
  add column contradicted_reason text,   -- what it said, in words for a person
  add constraint claim_log_contradicted check ((contradicted_by is null) = (contradicted_reason is null));
