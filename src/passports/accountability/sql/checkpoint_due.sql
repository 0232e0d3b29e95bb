-- When the next checkpoint of a lineage is due; null: none is awaited. Until its end, which is its last expiry or its revocation, the
-- lineage owes it by itself. Past that an enforced agent still may not be silent while a checkout is open (decision A38), and there each of
-- its reports counts, whichever passport it came by: no time to live, estimate, refresh or revocation makes a silence longer. For a logged
-- agent nothing is due past the end; a refresh brings it back.
create function checkpoint_due(l passport_lineages) returns timestamptz language sql stable as $$
  select case
    when l.next_checkpoint_due_at is null or not is_accountable(l) then null
    when l.next_checkpoint_due_at + checkpoint_grace(l.checkpoint_interval_seconds) <= least(l.latest_expiry, l.revoked_at)
      then l.next_checkpoint_due_at
    when l.accountability = 'enforced' then greatest(l.next_checkpoint_due_at,
      (select since from agent_silences where agent_id = l.agent_id) + make_interval(secs => l.checkpoint_interval_seconds)) end;
$$;
