-- Holds the reviews of an agent that were decided as blocked against reports and decisions until the transaction ends: their lineages, as
-- lock_review() takes them, and in their order.
create function lock_reviews_of_agent(p_operator text, p_agent text) returns void language sql as $$
  select from passport_lineages l
    where l.id in (select c.lineage_id from checkouts c where c.agent_id = p_agent and c.operator_id = p_operator
      and c.risk = 'critical' and c.review_status in ('pending', 'blocked') and c.hold_lifted_at is null)
    order by l.id for no key update;
$$;
