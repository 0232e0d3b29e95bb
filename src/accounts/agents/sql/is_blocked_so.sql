-- Whether this very block binds an agent until the transaction ends: of the same review (null: of none), by the same actor, for the same
-- reason. The agent is read after it was locked: who unblocks it lifts both.
create function is_blocked_so(p_agent text, p_checkout text, p_by text, p_reason text) returns boolean language plpgsql as $$
begin
  if not coalesce(is_agent_blocked(p_agent), false) then return false; end if;
  return exists (select from agent_blocks where agent_id = p_agent and lifted_at is null and checkout_id is not distinct from p_checkout
    and blocked_by = p_by and reason is not distinct from p_reason);
end $$;
