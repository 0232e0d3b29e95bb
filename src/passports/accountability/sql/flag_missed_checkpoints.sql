-- Flags every checkpoint whose deadline has passed at `p_moment`; each silent interval is a miss of its own, until the checkout is missed
-- (`p_checkout_grace` null: whether it is does not matter). The caller holds the lineage and writes what is returned: after a miss the next
-- checkpoint is due an interval after the missed one.
create function flag_missed_checkpoints(l passport_lineages, p_jti text, p_moment timestamptz, p_checkout_grace double precision)
returns passport_lineages language plpgsql as $$
begin
  if checkpoint_deadline(l) > p_moment is not false then return l; end if;
  -- A report of the agent by another passport may be on its way to the commit: it has come, and the next look knows whether in time.
  if l.accountability = 'enforced' then
    perform from agent_silences where agent_id = l.agent_id for share skip locked;
    if not found and exists (select from agent_silences where agent_id = l.agent_id) then return l; end if;
  end if;
  while checkpoint_deadline(l) <= least(p_moment, checkout_deadline(l, p_checkout_grace)) loop
    l.next_checkpoint_due_at := checkpoint_due(l);
    perform raise_flag(l, p_jti, 'missed_checkpoint', severity_of_miss(l), iso_time(l.next_checkpoint_due_at),
      format('No checkpoint came that was due at %s.', iso_time(l.next_checkpoint_due_at)), p_moment);
    l.next_checkpoint_due_at := l.next_checkpoint_due_at + make_interval(secs => l.checkpoint_interval_seconds);
  end loop;
  return l;
end $$;
