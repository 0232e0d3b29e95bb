-- Blocks an agent of the operator without a review (decision A30), and revokes none of its passports. False, and nothing is changed, where
-- the same block binds it already. The caller has locked the operator's passports exclusively.
create function block_without_review(p_operator text, p_agent text, p_by text, p_notes text) returns boolean language plpgsql as $$
begin
  if is_blocked_so(p_agent, null, p_by, p_notes) then return false; end if;
  perform block_agent(p_operator, p_agent, null, p_by, p_notes);
  perform record_service_event(p_operator, 'agent.blocked', 'critical',
    json_build_object('agent_id', p_agent, 'reason', coalesce(p_notes, 'Blocked without a review'), 'checkout_id', null));
  return true;
end $$;
