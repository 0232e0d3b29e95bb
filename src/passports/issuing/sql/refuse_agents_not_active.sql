-- An agent of a chain that is blocked or disabled ends what was delegated from it (decision A30). The caller that composes looks at the holder,
-- by its facts; the agents above are looked at here, since nothing else of them is needed.
create function refuse_agents_not_active(p_agents text[]) returns void language plpgsql as $$
declare
  v_agent text;
  v_status text;
begin
  if p_agents = '{}' then return; end if;
  select chain.id, agents.status into v_agent, v_status
    from unnest(p_agents) with ordinality as chain (id, nth) left join agent_identities agents on agents.id = chain.id
    where agents.status is distinct from 'active' order by chain.nth limit 1;
  if not found then return; end if;
  if v_status = 'blocked' then
    perform refuse('AGENT_BLOCKED', format('The agent %s is blocked; an administrator unblocks it.', v_agent),
      json_build_object('agent_id', v_agent));
  end if;
  perform refuse('INVALID_STATE', format('The agent %s is disabled; set its status to active first.', v_agent),
    json_build_object('current_status', v_status));
end $$;
