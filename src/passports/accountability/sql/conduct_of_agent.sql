-- What an agent has to answer for, as a person looks at it who decides about the agent: every review that is not approved or is critical, and
-- the flags of what is not reviewed yet, of each the newest hundred whole. The rest is counted, and `digest` is of it, so that none of it
-- changes unseen. `holding` counts the reviews that were decided as blocked and hold the agent.
create function conduct_of_agent(p_operator text, p_agent text) returns json language sql stable as $$
  with reviewed as (
    select c, row_number() over (partition by c.review_status <> 'approved' or c.risk = 'critical' order by c.id desc) as nth,
      c.review_status <> 'approved' or c.risk = 'critical' as weighs
    from passport_lineages l join checkouts c on c.lineage_id = l.id
    where l.agent_id = p_agent and l.operator_id = p_operator and c.review_status is not null
  ), unreviewed as (
    select f, row_number() over (order by f.id desc) as nth
    from passport_lineages l join passport_flags f on f.lineage_id = l.id
    where l.agent_id = p_agent and l.operator_id = p_operator
      and not exists (select from checkouts c where c.lineage_id = l.id and c.review_status is not null)
  )
  select json_build_object(
    'reviews', (select coalesce(json_agg(review_json(c)::jsonb || jsonb_build_object('report', (c).claim_id) order by (c).id desc), '[]')
      from reviewed where weighs and nth <= 100),
    'other_reviews', (select json_build_object('count', count(*), 'digest', encode(sha256_of_text(coalesce(string_agg(
        concat_ws(' ', (c).id, (c).review_status, (c).risk, (c).claim_id, (c).decided_at, (c).notes), E'\n' order by (c).id), '')), 'hex'))
      from reviewed where not weighs or nth > 100),
    'unreviewed_flags', (select coalesce(json_agg(flag_json(f) order by (f).id desc), '[]') from unreviewed where nth <= 100),
    'other_unreviewed_flags', (select count(*) from unreviewed where nth > 100),
    'holding', (select count(*) from reviewed where (c).review_status = 'blocked' and review_holds(c)));
$$;
