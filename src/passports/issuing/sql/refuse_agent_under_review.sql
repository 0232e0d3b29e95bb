-- A pending review of risk critical holds every new passport of the agent (decision A30).
create function refuse_agent_under_review(p_agent text) returns void language plpgsql as $$
begin
  perform refuse('AGENT_REVIEW_PENDING',
    format('A review of %s, or of an agent with its key, with critical flags waits for a decision; until a person has decided it, the agent gets no passport.', p_agent),
    json_build_object('agent_id', p_agent));
end $$;
