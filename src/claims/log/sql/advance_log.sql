-- One look of the life of the log: returns whether claims wait. Where no run looks for ten seconds, what waits is appended without one.
create function advance_log(p_log text) returns log_step language plpgsql as $$
declare l claim_log;
begin
  perform begin_look('log-sequencer:' || p_log);
  select * into l from claim_log where id = p_log;
  if not found then return row('gone', 0, 0)::log_step; end if;
  perform look_again('log-sequencer:' || p_log, 'op_platform', clock_timestamp() + interval '10 seconds');
  return row(
    case when l.stopped_reason is not null then 'stopped'
      when l.published_size < l.tree_size or exists (select from log_pending) then 'waiting' else 'idle' end,
    l.tree_size, l.published_size)::log_step;
end $$;
