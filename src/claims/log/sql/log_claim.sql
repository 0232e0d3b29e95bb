-- Lets a claim wait for its place in the log, in the transaction that records it. `p_leaf`: SHA-256 of a zero byte and the signed bytes
-- (RFC 9162). Before the first start of a worker there is no log; it finds what waits when it is made. Each claim leaves a message of its own:
-- one that is left out since another waits would be lost where a look deletes that one, and reads what waits before this claim is committed.
-- Only a lock of the message that waits would close that, and then every command would wait for every other, and the look for all of them.
create function log_claim(p_claim text, p_leaf bytea) returns void language plpgsql as $$
begin
  insert into log_pending (claim_id, leaf_hash) values (p_claim, p_leaf);
  perform wake_life('log-sequencer:' || id, 'op_platform') from claim_log;
  perform announce_messages();
end $$;
