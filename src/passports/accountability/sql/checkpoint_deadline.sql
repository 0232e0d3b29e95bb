-- When the checkpoint that is due counts as missed: 25 % of the interval after it, from 30 s to 300 s (decision A23). Null where
-- none is awaited: a deadline past the last expiry is not kept, and a refresh brings it back.
create function checkpoint_deadline(l passport_lineages) returns timestamptz language sql stable as $$
  select case when is_accountable(l)
      and l.next_checkpoint_due_at + make_interval(secs => greatest(30, least(300, l.checkpoint_interval_seconds * 0.25))) <= l.latest_expiry
    then l.next_checkpoint_due_at + make_interval(secs => greatest(30, least(300, l.checkpoint_interval_seconds * 0.25))) end;
$$;
