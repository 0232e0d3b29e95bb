-- When the checkpoint that is due counts as missed. Null where none is awaited: a deadline past the last expiry is not kept, and a
-- refresh brings it back.
create function checkpoint_deadline(l passport_lineages) returns timestamptz language sql stable as $$
  select case when is_accountable(l) and l.next_checkpoint_due_at + checkpoint_grace(l.checkpoint_interval_seconds) <= l.latest_expiry
    then l.next_checkpoint_due_at + checkpoint_grace(l.checkpoint_interval_seconds) end;
$$;
