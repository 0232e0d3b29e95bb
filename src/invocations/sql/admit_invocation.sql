-- Judges what invoking refuses before it looks at the input: the skill, agent, passport and mission, the skill's state, its
-- price, trust, the storage of the consumer. Returns what of them the invocation is made of.
create function admit_invocation(p_operator text, p_skill text, p_agent text, p_passport text, p_mission text, p_max_price bigint,
  p_trial boolean)
returns admitted_invocation language plpgsql as $$
declare
  skill skill_offers;
  admitted admitted_invocation;
  required int;
  effective int;
begin
  select * into skill from skill_offers where id = p_skill;
  if not found or not (skill.operator_id = p_operator or skill.status in ('active', 'unlisted')
      or (skill.status = 'suspended' and skill.approved_at is not null)) then
    perform refuse('NOT_FOUND', 'There is no such skill, or this credential may not see it.');
  end if;
  if p_agent is not null or p_passport is not null then
    select id, monthly_limit_cents into admitted.agent_id, admitted.agent_limit from invoking_agent(p_operator, p_agent, p_passport);
  end if;
  if p_mission is not null then perform refuse_mission(p_operator, admitted.agent_id, p_mission); end if;
  if p_trial then
    perform refuse_trial(p_operator, skill);
  elsif skill.status not in ('active', 'unlisted') or skill.owner_status <> 'active' then
    perform refuse('SKILL_NOT_ACTIVE', 'The skill cannot be invoked now: '
      || case when skill.owner_status = 'active' then 'it is ' || skill.status else 'its operator is suspended' end || '.');
  end if;

  admitted.price_cents := case when skill.operator_id = p_operator then 0 else skill.price_per_invocation end;
  if admitted.price_cents > p_max_price then
    perform refuse('PRICE_CHANGED', format('The skill costs %s cents now, more than your max_price_cents.', admitted.price_cents),
      json_build_object('price_cents', admitted.price_cents));
  end if;
  required := substr(skill.trust_level_required, 2)::int;
  if required > 0 then
    effective := trust_level_of(p_operator, admitted.agent_id);
    if effective < required then
      perform refuse('TRUST_LEVEL_INSUFFICIENT',
        format('The skill asks for trust level L%s and your identity claims give L%s.', required, effective),
        json_build_object('required', 'L' || required, 'effective', 'L' || effective));
    end if;
  end if;
  perform refuse_full_storage(p_operator);
  admitted.revision := skill.revision;
  admitted.version := skill.version;
  admitted.execution_mode := skill.execution_mode;
  admitted.provider_operator_id := skill.operator_id;
  return admitted;
end $$;
