-- Flags every checkpoint whose deadline has passed at `p_moment`; each silent interval is a miss of its own. The caller holds the
-- lineage and writes what is returned: after a miss the next checkpoint is due an interval after the missed one.
create function flag_missed_checkpoints(l passport_lineages, p_jti text, p_moment timestamptz) returns passport_lineages language plpgsql as $$
begin
  while checkpoint_deadline(l) <= p_moment loop
    perform raise_flag(l, p_jti, 'missed_checkpoint', severity_of_miss(l), iso_time(l.next_checkpoint_due_at),
      format('No checkpoint came that was due at %s.', iso_time(l.next_checkpoint_due_at)), p_moment);
    l.next_checkpoint_due_at := l.next_checkpoint_due_at + make_interval(secs => l.checkpoint_interval_seconds);
  end loop;
  return l;
end $$;
