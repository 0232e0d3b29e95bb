-- Locks the lineage of a passport for a report of its agent.
create function lock_lineage_to_report(p_operator text, p_passport passports) returns passport_lineages language plpgsql as $$
declare l passport_lineages;
begin
  if p_passport.operator_id is distinct from p_operator then
    perform refuse('NOT_FOUND', 'There is no such passport, or this credential may not see it.');
  end if;
  select * into strict l from passport_lineages where id = p_passport.lineage_id for no key update;
  if l.accountability = 'standard' then
    perform refuse('ACCOUNTABILITY_MODE',
      'The passport is of accountability standard, which has neither checkpoints nor checkout; make the agent logged or enforced and issue again.');
  end if;
  return l;
end $$;
