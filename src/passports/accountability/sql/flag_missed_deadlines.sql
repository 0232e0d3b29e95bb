-- Flags what is past its deadline at `p_moment`, which is clock_timestamp() read after the lineage was locked (rule 6). Returns the
-- lineage as it is then.
create function flag_missed_deadlines(l passport_lineages, p_moment timestamptz, p_checkout_grace double precision)
returns passport_lineages language plpgsql as $$
declare
  severity constant text := severity_of_miss(l);
  flagged constant bigint := last_flag_id(l.id);
  member text;
  expected timestamptz;
  review checkouts;
begin
  if next_deadline(l, p_checkout_grace) > p_moment is not false then return l; end if;
  select max(jti) into member from passports where lineage_id = l.id;
  l := flag_missed_checkpoints(l, member, p_moment, p_checkout_grace);
  if checkout_deadline(l, p_checkout_grace) <= p_moment then
    expected := checkout_expected(l);
    perform raise_flag(l, member, 'missed_checkout', severity, '', format('No checkout came that was expected by %s.', iso_time(expected)),
      p_moment);
    if l.accountability = 'enforced' then
      insert into checkouts (id, lineage_id, session_id, operator_id, agent_id, jti, missed, created_at, review_status, risk)
        values (new_prefixed_id('chko'), l.id, l.session_id, l.operator_id, l.agent_id, member, true, p_moment, 'pending', 'critical')
        returning * into review;
      perform record_review_event(review);
    end if;
    perform record_service_event(l.operator_id, 'passport.missed_checkout', severity,
      json_build_object('jti', member, 'agent_id', l.agent_id, 'expected_by', iso_time(expected), 'checkout_id', review.id));
    l.checkout_missed_at := p_moment;
    l.next_checkpoint_due_at := null;
  end if;
  update passport_lineages set next_checkpoint_due_at = l.next_checkpoint_due_at, checkout_missed_at = l.checkout_missed_at where id = l.id;
  perform record_flag_event(l, member, flagged);
  return l;
end $$;
