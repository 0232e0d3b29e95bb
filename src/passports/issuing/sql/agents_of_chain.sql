-- The agent of a lineage, and then those that it was delegated from, the root's last. At most five: a chain has four hops (decision
-- A13).
create function agents_of_chain(p_lineage text) returns setof text language sql stable as $$
  with recursive chain (agent_id, parent, hops) as (
    select agent_id, parent_lineage_id, 0 from passport_lineages where id = p_lineage
    union all
    select above.agent_id, above.parent_lineage_id, chain.hops + 1
    from chain join passport_lineages above on above.id = chain.parent
  )
  select agent_id from chain order by hops;
$$;
