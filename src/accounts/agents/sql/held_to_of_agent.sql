-- Returns what an agent is held to, as the API shows it. A partner, whose grant is p_grant, is told of no agent that it may not see.
create function held_to_of_agent(p_agent text, p_grant text) returns jsonb language sql stable as $$
  select jsonb_build_object(
    'accountability', held.accountability,
    'accountability_from', (select a.id from agents a where a.id = held.accountability_from and (p_grant is null or a.partner_grant_id = p_grant)),
    'checkpoint_interval_seconds', held.checkpoint_interval_seconds,
    'checkpoint_interval_from',
      (select a.id from agents a where a.id = held.checkpoint_interval_from and (p_grant is null or a.partner_grant_id = p_grant)))
  from accountability_of_agent(p_agent) as held;
$$;
