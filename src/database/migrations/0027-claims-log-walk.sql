-- The walk that computes old nodes of the log again, a slice a time (decision L105).
alter table claim_log
  add column walked_size bigint not null default 0, -- so far the walk has come in this round
  add column walked_at timestamptz,      -- the last slice
  add column walk_rounds bigint not null default 0, -- how often it has come to the end
  add column damaged_from bigint,        -- the first leaf of a slice whose nodes were not what was signed; null: none is known
  add constraint claim_log_walked check (walked_size >= 0);
