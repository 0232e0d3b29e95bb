-- Witnesses have confirmed the head of a log that was taken from the database: it may be published, and its life is woken.
create function confirm_log(p_size bigint) returns void language plpgsql as $$
begin
  update claim_log set unproven_since = null, unproven_size = null, confirmed_size = unproven_size where unproven_size <= p_size;
  if not found then return; end if;
  perform wake_life('log-sequencer:' || id, 'op_platform') from claim_log;
  perform announce_messages();
end $$;
