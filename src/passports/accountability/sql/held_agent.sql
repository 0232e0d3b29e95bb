-- The first of these agents that a hold is on (decision A30): a critical review that nobody has decided, of the agent or of one of its
-- operator that had its key. Null: none.
create function held_agent(p_agents text[]) returns text language plpgsql stable as $$
begin
  return (select id from (
      select agent_id as id from checkouts where agent_id = any (p_agents) and review_status = 'pending' and risk = 'critical'
      union all
      select a.id from agent_identities a join checkouts c on c.operator_id = a.operator_id and c.key_thumbprint = a.key_thumbprint
        where a.id = any (p_agents) and c.review_status = 'pending' and c.risk = 'critical'
    ) as held order by array_position(p_agents, id) limit 1);
end $$;
