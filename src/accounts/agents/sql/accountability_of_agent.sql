-- Returns what an agent is held to: the strictest mode, and the shortest interval, of all agents of its operator that have or had a public key
-- which it has or had (decision A60), each with the agent that it comes from, itself where that is as strict. Otherwise a weaker agent with
-- the same key would do the work. The interval of a standard agent is never timed, so it shortens nobody else's.
create function accountability_of_agent(
  p_agent text, out accountability text, out accountability_from text,
  out checkpoint_interval_seconds double precision, out checkpoint_interval_from text
) language sql stable as $$
  with bearers as (
    select p_agent as id
    union
    select other.agent_id from agent_public_keys own
      join agent_public_keys other on other.operator_id = own.operator_id and other.key_thumbprint = own.key_thumbprint
      where own.agent_id = p_agent
  ), held as (
    select a.id, a.accountability, array_position(array['standard', 'logged', 'enforced'], a.accountability) as strictness,
      case when a.id = p_agent or a.accountability <> 'standard' then a.checkpoint_interval_seconds end as seconds
    from agents a where a.id in (select id from bearers)
  ), strictest as (
    select id, accountability from held order by strictness desc, id <> p_agent, id limit 1
  ), shortest as (
    select id, seconds from held where seconds is not null order by seconds, id <> p_agent, id limit 1
  )
  select strictest.accountability, strictest.id, shortest.seconds, shortest.id from strictest left join shortest on true;
$$;
