-- What an agent is held to: the strictest mode, and the shortest interval, of all agents of its operator that have or had a public key
-- which it has or had (decision A60). Otherwise a weaker agent with the same key would do the work. The interval of a standard agent is
-- never timed, so it shortens nobody else's.
create function accountability_of_agent(p_agent text, out accountability text, out checkpoint_interval_seconds double precision)
language sql stable as $$
  with modes as (
    select array['standard', 'logged', 'enforced'] as names
  ), bearers as (
    select p_agent as id
    union
    select other.agent_id from agent_public_keys own
      join agent_public_keys other on other.operator_id = own.operator_id and other.key_thumbprint = own.key_thumbprint
      where own.agent_id = p_agent
  )
  select (select names from modes)[max(array_position((select names from modes), a.accountability))],
      min(a.checkpoint_interval_seconds) filter (where a.id = p_agent or a.accountability <> 'standard')
    from agents a where a.id in (select id from bearers);
$$;
