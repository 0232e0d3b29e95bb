-- Refuses to try a skill that is not the operator's own, or that has nothing for the service to execute.
create function refuse_trial(p_operator text, p_skill skill_offers) returns void language plpgsql as $$
begin
  if p_skill.operator_id <> p_operator then
    perform refuse('NOT_OWNER', 'Only the operator that published the skill may try it; invoke it instead.');
  end if;
  if p_skill.execution_mode = 'open' or not p_skill.executable then
    perform refuse('NO_EXECUTABLE_CONTENT', 'The skill has nothing for the service to execute, so there is nothing to try.');
  end if;
end $$;
