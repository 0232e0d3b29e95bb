-- Machine time is charged with whom and what it was for, as a model call is.
alter table machine_runs
  add column agent_id text,
  add column mission_id text,
  add column declared_purpose text;       -- of the exact mission or passport (decision B24)
