-- The first of these agents that a hold is on, a critical review that nobody has decided (decision A30). Null: none.
create function held_agent(p_agents text[]) returns text language plpgsql stable as $$
begin
  return (select agent_id from checkouts where agent_id = any (p_agents) and review_status = 'pending' and risk = 'critical'
    order by array_position(p_agents, agent_id) limit 1);
end $$;
