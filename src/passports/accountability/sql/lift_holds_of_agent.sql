-- Lifts what reviews that were decided as blocked hold of an agent. Those that are pending hold it until they are decided. The caller has
-- their lineages.
create function lift_holds_of_agent(p_operator text, p_agent text) returns void language sql as $$
  update checkouts set hold_lifted_at = clock_timestamp()
    where agent_id = p_agent and operator_id = p_operator and risk = 'critical' and review_status = 'blocked' and hold_lifted_at is null;
$$;
