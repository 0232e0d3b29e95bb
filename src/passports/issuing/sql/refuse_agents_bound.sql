-- A critical review that is not approved holds every new passport of its agent, and a block bars it. Both bind every
-- public key that the agent has or had, with every agent of the operator that has or had one of these, and the agents below in a chain: a
-- child works by what the agents above were given (decisions A30 and A31). Whether the holder itself is blocked, its facts say.
create function refuse_agents_bound(p_agents text[]) returns void language plpgsql as $$
declare
  v_agent text;
  v_blocked text;
begin
  select bound.id, bound.blocked into v_agent, v_blocked from (
      select agent_id as id, null as blocked from checkouts
        where agent_id = any (p_agents) and risk = 'critical' and review_status in ('pending', 'blocked') and hold_lifted_at is null
          and (review_status = 'pending' or not block_future)
      union all
      select own.agent_id, null from public_keys own
        join held_keys held on held.operator_id = own.operator_id and held.key_thumbprint = own.key_thumbprint
        where own.agent_id = any (p_agents)
      union all
      select own.agent_id, other.agent_id from public_keys own
        join public_keys other on other.operator_id = own.operator_id and other.key_thumbprint = own.key_thumbprint
        where own.agent_id = any (p_agents) and other.barred and other.agent_id <> own.agent_id
    ) as bound order by bound.blocked is not null, array_position(p_agents, bound.id) limit 1;
  if v_agent is null then return; end if;
  if v_blocked is not null then
    perform refuse('AGENT_BLOCKED',
      format('The agent %s has or had a public key of %s, which is blocked; a person unblocks it.', v_agent, v_blocked),
      json_build_object('agent_id', v_blocked));
  end if;
  perform refuse('AGENT_REVIEW_PENDING',
    format('A review of %s, or of an agent that has or had a key of it, with critical flags is not approved; until a person approves it, or unblocks the agent after it was blocked, the agent gets no passport.', v_agent),
    json_build_object('agent_id', v_agent));
end $$;
