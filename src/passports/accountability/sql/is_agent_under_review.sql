-- The hold: a critical review that nobody has decided (decision A30).
create function is_agent_under_review(p_agent text) returns boolean language sql stable as $$
  select exists (select from checkouts where agent_id = p_agent and review_status = 'pending' and risk = 'critical');
$$;
