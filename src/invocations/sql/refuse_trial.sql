-- Refuses to try a skill that is not the operator's own, that has nothing for the service to execute, or that the platform took down: its
-- code has done harm. One that was rejected may be tried, since its owner has to find out what is wrong with it.
create function refuse_trial(p_operator text, p_skill skill_offers) returns void language plpgsql as $$
begin
  if p_skill.operator_id <> p_operator then
    perform refuse('NOT_OWNER', 'Only the operator that published the skill may try it; invoke it instead.');
  end if;
  if p_skill.execution_mode = 'open' or not p_skill.executable then
    perform refuse('NO_EXECUTABLE_CONTENT', 'The skill has nothing for the service to execute, so there is nothing to try.');
  end if;
  if skill_taken_down(p_skill.id) then
    perform refuse('SKILL_NOT_ACTIVE', 'The platform took the skill down, and it is not executed: activate it, which asks for a review.');
  end if;
end $$;
