-- Every review of these agents that is not approved or is critical, and the flags of what is not reviewed yet, of each the newest hundred
-- whole. The rest is counted, and `digest` is of it, so that none of it changes unseen.
create function conduct_of_agents(p_operator text, p_agents text[]) returns jsonb language sql stable as $$
  with reviewed as (
    select c, row_number() over (partition by c.review_status <> 'approved' or c.risk = 'critical' order by c.id desc) as nth,
      c.review_status <> 'approved' or c.risk = 'critical' as weighs
    from passport_lineages l join checkouts c on c.lineage_id = l.id
    where l.agent_id = any (p_agents) and l.operator_id = p_operator and c.review_status is not null
  ), unreviewed as (
    select f, row_number() over (order by f.id desc) as nth
    from passport_lineages l join passport_flags f on f.lineage_id = l.id
    where l.agent_id = any (p_agents) and l.operator_id = p_operator
      and not exists (select from checkouts c where c.lineage_id = l.id and c.review_status is not null)
  )
  select jsonb_build_object(
    'reviews', (select coalesce(jsonb_agg(review_json(c)::jsonb || jsonb_build_object('report', (c).claim_id) order by (c).id desc), '[]')
      from reviewed where weighs and nth <= 100),
    'other_reviews', (select jsonb_build_object('count', count(*), 'digest', encode(sha256_of_text(coalesce(string_agg(
        concat_ws(' ', (c).id, (c).review_status, (c).risk, (c).claim_id, (c).decided_at, (c).notes), E'\n' order by (c).id), '')), 'hex'))
      from reviewed where not weighs or nth > 100),
    'unreviewed_flags', (select coalesce(jsonb_agg(flag_json(f) order by (f).id desc), '[]') from unreviewed where nth <= 100),
    'other_unreviewed_flags', (select count(*) from unreviewed where nth > 100));
$$;
