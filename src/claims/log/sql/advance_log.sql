-- One look of the life of the log: deletes the messages that woke it, and returns whether claims wait. Messages first: the claim of one that
-- is deleted here is seen below.
create function advance_log(p_log text) returns log_step language plpgsql as $$
declare l claim_log;
begin
  delete from life_messages where life = 'log-sequencer:' || p_log;
  update claim_log set life_seen_at = clock_timestamp() where id = p_log returning * into l;
  if not found then return row('gone', 0, 0)::log_step; end if;
  return row(
    case when l.stopped_reason is not null then 'stopped'
      when l.published_size < l.tree_size or exists (select from log_pending) then 'waiting' else 'idle' end,
    l.tree_size, l.published_size)::log_step;
end $$;
