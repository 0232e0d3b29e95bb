-- Holds public keys of an operator's agents until the transaction ends: those that an agent has or had (null: none), and one that is entered (null:
-- none). Of two commands that enter a key, or that a person decided about what shares one, the second reads what the first has written. Many
-- agents may have one key, so no constraint decides. They come behind the agent, in one order (rule 12). An agent has had a thousand keys at
-- most, and each would be a place in the table of locks, which all share: those of an operator are sixty-four locks.
create function lock_public_keys(p_operator text, p_agent text, p_entered text) returns void language plpgsql as $$
begin
  perform pg_advisory_xact_lock(1886086521, place) from (
    select distinct hashtext(p_operator) # (hashtext(k.thumbprint) & 63) as place
      from (select key_thumbprint from agent_public_keys where agent_id = p_agent union all select p_entered) as k (thumbprint)
      where k.thumbprint is not null order by place) as places;
end $$;
