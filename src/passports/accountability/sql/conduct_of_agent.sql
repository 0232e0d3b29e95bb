-- Returns what an agent has to answer for, as a person looks at it who decides about the agent: its own conduct, and apart from it that of its
-- twins, all other agents of the operator that have or had a public key of it: what holds one holds them all (decision A30), and many
-- reviews of a twin move none of its own out of sight. `holding` counts the reviews that were decided as blocked and hold the agent
-- itself, which unblocking lifts. Mode and interval of a twin are shown since the agent is held to them too (decision A60): where a twin is held to less
-- meanwhile, the agent may be the last that is held to more.
create function conduct_of_agent(p_operator text, p_agent text) returns jsonb language sql stable as $$
  with twins as (
    select a.id, a.name, a.status, a.accountability, a.checkpoint_interval_seconds, row_number() over (order by a.id desc) as nth from agent_identities a
      where a.id <> p_agent and a.id in (select other.agent_id from public_keys own
        join public_keys other on other.operator_id = own.operator_id and other.key_thumbprint = own.key_thumbprint
        where own.agent_id = p_agent and own.operator_id = p_operator)
  )
  select conduct_of_agents(p_operator, array[p_agent]) || jsonb_build_object(
    'holding', (select count(*) from checkouts c
      where c.agent_id = p_agent and c.operator_id = p_operator and c.review_status = 'blocked' and review_holds(c)),
    'twins', conduct_of_agents(p_operator, array(select id from twins)) || jsonb_build_object(
      'agents', (select coalesce(jsonb_agg(jsonb_build_object('id', id, 'name', name, 'status', status,
          'accountability', accountability, 'checkpoint_interval_seconds', checkpoint_interval_seconds) order by nth), '[]')
        from twins where nth <= 100),
      'other_agents', (select jsonb_build_object('count', count(*), 'digest', encode(sha256_of_text(coalesce(string_agg(
          concat_ws(' ', id, status, accountability, checkpoint_interval_seconds), E'\n' order by nth), '')), 'hex'))
        from twins where nth > 100)));
$$;
