-- Refuses the first mission that the agent cannot name: it is unknown, another agent's or over.
create function refuse_missions(p_operator text, p_agent text, p_missions text[]) returns void language plpgsql as $$
declare refused text; place bigint;
begin
  select named.id, named.at into refused, place from unnest(p_missions) with ordinality as named (id, at)
    where not exists (select from missions m where m.id = named.id and m.operator_id = p_operator
      and (m.agent_id is null or m.agent_id = p_agent)
      and mission_status(m.completed_at, m.expires_at) = 'active' and not has_ended(m.expires_at))
    order by named.at limit 1;
  if found then
    perform refuse_field('mission_ids.' || place - 1, format('%s is not an active mission of this agent', refused));
  end if;
end $$;
