-- Refuses agents new passports for what binds them, wherever it holds: a review of risk critical that is not approved, a block, and a critical flag whose
-- checkout was expected and has not come, which makes such a review soon. Each binds the agent itself, every agent of the operator that has
-- or had a public key which it has or had, whenever it got it, and the agents below in a chain: a child works by what the agents above were
-- given (decisions A30 and A38). Whether the holder itself is blocked, its facts say.
-- One plan is kept for it: Postgres takes the list for ten agents as long as it does not know them, finds a plan for the one of most calls
-- cheaper, and would plan this again each time, which takes twenty times as long as running it.
create function refuse_agents_bound(p_agents text[]) returns void language plpgsql set plan_cache_mode = force_generic_plan as $$
declare
  v_agent text;
  v_bearer text;
  v_held boolean;
  v_unreported text;
begin
  with bearers (id, bearer, barred) as (
    select id, id, false from unnest(p_agents) as id
    union all
    select own.agent_id, other.agent_id, other.barred from public_keys own
      join public_keys other on other.operator_id = own.operator_id and other.key_thumbprint = own.key_thumbprint
      where own.agent_id = any (p_agents) and other.agent_id <> own.agent_id
  ), bound as (
    select *, exists (select from checkouts
        where agent_id = bearer and risk = 'critical' and review_status in ('pending', 'blocked') and hold_lifted_at is null
          and (review_status = 'pending' or not block_future)) as held,
      (select l.id from passport_lineages l
        where l.agent_id = bearer and l.accountability = 'enforced' and l.checked_out_at is null and l.checkout_missed_at is null
          and least(l.latest_expiry, l.revoked_at) <= clock_timestamp() and has_critical_flag(l.id)
        order by l.id limit 1) as unreported
    from bearers
  )
  select id, bearer, held, unreported into v_agent, v_bearer, v_held, v_unreported from bound
    where held or barred or unreported is not null
    order by not held, unreported is null, array_position(p_agents, id) limit 1;
  if v_agent is null then return; end if;
  if v_held then
    perform refuse('AGENT_REVIEW_PENDING',
      format('A review of %s, or of an agent that has or had a key of it, with critical flags is not approved; until a person approves it, or unblocks the agent after it was blocked, the agent gets no passport.', v_agent),
      json_build_object('agent_id', v_agent));
  end if;
  if v_unreported is not null then
    perform refuse('AGENT_REVIEW_PENDING',
      format('The passport %s of %s has a critical flag, and its checkout was expected and has not come; check it out, and a person decides its review. Until then %s gets no passport.',
        v_unreported, v_bearer, v_agent),
      json_build_object('agent_id', v_agent));
  end if;
  perform refuse('AGENT_BLOCKED',
    format('The agent %s has or had a public key of %s, which is blocked; a person unblocks it.', v_agent, v_bearer),
    json_build_object('agent_id', v_bearer));
end $$;
