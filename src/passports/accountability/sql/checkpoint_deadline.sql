-- When the checkpoint that is due counts as missed. Null where none is awaited.
create function checkpoint_deadline(l passport_lineages) returns timestamptz language sql stable as $$
  select checkpoint_due(l) + checkpoint_grace(l.checkpoint_interval_seconds);
$$;
