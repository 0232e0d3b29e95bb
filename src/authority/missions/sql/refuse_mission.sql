-- A mission that is named must be open, the operator's, and the agent's where one invokes and the mission is some agent's.
create function refuse_mission(p_operator text, p_agent text, p_mission text) returns void language plpgsql as $$
begin
  if not exists (select from missions m where m.id = p_mission and m.operator_id = p_operator
      and (p_agent is null or m.agent_id is null or m.agent_id = p_agent)
      and mission_status(m.completed_at, m.expires_at) = 'active') then
    perform refuse_field('mission_id', format('%s is not an active mission of yours, or not of this agent', p_mission));
  end if;
end $$;
