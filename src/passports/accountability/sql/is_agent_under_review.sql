-- The hold (decision A30): a critical review that nobody has decided, of the agent or of one of its operator that had its key.
create function is_agent_under_review(p_agent text) returns boolean language sql stable as $$
  select exists (select from checkouts where agent_id = p_agent and review_status = 'pending' and risk = 'critical')
    or exists (select from agent_identities a join checkouts c on c.operator_id = a.operator_id and c.key_thumbprint = a.key_thumbprint
      where a.id = p_agent and c.review_status = 'pending' and c.risk = 'critical');
$$;
