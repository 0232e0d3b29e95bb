-- Blocks an agent, once more where it is blocked already: the person who unblocks it has to know of each block (decision A30). A block leaves its
-- retirement as it is. The caller has locked the operator's passports exclusively.
create function block_agent(p_operator text, p_agent text, p_checkout text, p_by text, p_reason text) returns void language plpgsql as $$
begin
  update agents set status = 'blocked', updated_at = clock_timestamp(),
      retired_at = coalesce(retired_at, case when status = 'disabled' then updated_at end)
    where id = p_agent and operator_id = p_operator;
  insert into agent_blocks (agent_id, operator_id, checkout_id, blocked_by, reason, blocked_at)
    values (p_agent, p_operator, p_checkout, p_by, p_reason, clock_timestamp());
end $$;
