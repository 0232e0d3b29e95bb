-- Lets a claim wait for its place in the log, in the transaction that records it. `p_leaf`: SHA-256 of a zero byte and the signed bytes
-- (RFC 9162). Before the first start of a worker there is no log; it finds what waits when it is made.
create function log_claim(p_claim text, p_leaf bytea) returns void language plpgsql as $$
begin
  insert into log_pending (claim_id, leaf_hash) values (p_claim, p_leaf);
  perform wake_life('log-sequencer:' || id, 'op_platform') from claim_log;
  perform announce_messages();
end $$;
