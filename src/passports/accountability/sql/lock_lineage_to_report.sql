-- Locks the lineage of a passport for a report of its agent, and the lineages `p_with`, and notes that the agent has reported. First it
-- flags what this and other lineages of the agent have missed until now, or the report would hide it. All lineages are locked by id, and
-- before the agent (rule 12).
create function lock_lineage_to_report(p_operator text, p_passport passports, p_checkout_grace double precision, p_with text[] default '{}')
returns report_begun language plpgsql as $$
declare
  arrived constant timestamptz := clock_timestamp();
  moment timestamptz;
  silent text[];
  other passport_lineages;
  l passport_lineages;
begin
  if p_passport.operator_id is distinct from p_operator then
    perform refuse('NOT_FOUND', 'There is no such passport, or this credential may not see it.');
  end if;
  silent := array(select x.id from passport_lineages x
    where x.agent_id = p_passport.agent_id and x.accountability = 'enforced' and x.checked_out_at is null and x.checkout_missed_at is null
      and x.id <> p_passport.lineage_id and next_deadline(x, p_checkout_grace) <= arrived);
  perform from passport_lineages where id = any (p_passport.lineage_id || silent || p_with) order by id for no key update;
  select * into strict l from passport_lineages where id = p_passport.lineage_id;
  if l.accountability = 'standard' then
    perform refuse('ACCOUNTABILITY_MODE',
      'The passport is of accountability standard, which has neither checkpoints nor checkout; make the agent logged or enforced and issue again.');
  end if;
  insert into agent_silences as s (agent_id, since) values (l.agent_id, '-infinity')
    on conflict (agent_id) do update set since = s.since;
  for other in select * from passport_lineages where id = any (silent) order by id loop
    perform flag_missed_deadlines(other, arrived, p_checkout_grace);
  end loop;
  moment := clock_timestamp();
  l := flag_missed_deadlines(l, moment, p_checkout_grace);
  update agent_silences set since = arrived where agent_id = l.agent_id and since < arrived;
  return row(l, moment)::report_begun;
end $$;
