-- A pending review of risk critical holds every new passport of the agent, and of the agents below it in a chain: a child works by
-- what the agents above were given (decision A30).
create function refuse_agents_under_review(p_agents text[]) returns void language plpgsql as $$
declare v_agent constant text := held_agent(p_agents);
begin
  if v_agent is null then return; end if;
  perform refuse('AGENT_REVIEW_PENDING',
    format('A review of %s, or of an agent with its key, with critical flags waits for a decision; until a person has decided it, the agent gets no passport.', v_agent),
    json_build_object('agent_id', v_agent));
end $$;
