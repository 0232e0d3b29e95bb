-- Records a checkpoint: it counts for the whole lineage, and its time is the moment at which it has locked the lineage, whenever the
-- life reads it. `p_claim` is the member of the token that holds our claims. The answer's flags are those raised since the
-- checkpoint before.
create function record_checkpoint(
  p_operator text, p_agent_part text, p_actor text, p_key text, p_fingerprint bytea, p_request text,
  p_id text, p_jti text, p_claim text, p_checkout_grace double precision,
  p_services text[], p_calls text, p_actions double precision, p_delegated text[], p_summary text
) returns report_answer language plpgsql as $$
declare
  kept constant text := kept_answer(p_operator, p_agent_part, p_key, p_fingerprint);
  p passports;
  begun report_begun;
  l passport_lineages;
  made checkpoints;
  flagged bigint;
  before timestamptz;
  moment timestamptz;
begin
  if kept is not null then return row(true, kept, 0, '{}')::report_answer; end if;
  select * into p from passports where jti = p_jti;
  begun := lock_lineage_to_report(p_operator, p, p_checkout_grace);
  l := begun.lineage;
  moment := begun.moment;
  perform refuse_checked_out(l);
  if l.revoked_at is not null then
    perform refuse('PASSPORT_REVOKED', format('The passport was revoked at %s.', iso_time(l.revoked_at)));
  end if;
  if p.expires_at <= moment then
    perform refuse('PASSPORT_EXPIRED', format('The passport expired at %s.', iso_time(p.expires_at)));
  end if;

  before := coalesce(l.last_checkpoint_at, '-infinity');
  flagged := last_flag_id(l.id);
  if l.next_checkpoint_due_at < moment then
    perform raise_flag(l, p_jti, 'late_checkpoint', 'warning', p_id,
      format('Checkpoint %s was due at %s.', l.checkpoint_count + 1, iso_time(l.next_checkpoint_due_at)), moment);
  end if;
  perform flag_reported_faults(l, p_jti, p.payload::json -> p_claim, p_id, p_services, p_calls::json, p_delegated, moment);
  insert into checkpoints (id, lineage_id, jti, sequence, services_used, tool_calls, actions_count, delegated_to, summary, submitted_at, claim_id)
    values (p_id, l.id, p_jti, l.checkpoint_count + 1, p_services, p_calls, p_actions, p_delegated, p_summary, moment,
      issue_report_claim(l, p_jti, p_id, p_services, p_actions, p_delegated, p_summary, moment))
    returning * into made;
  update passport_lineages set checkpoint_count = made.sequence, last_checkpoint_at = moment,
      next_checkpoint_due_at = moment + make_interval(secs => checkpoint_interval_seconds)
    where id = l.id returning * into l;
  return end_report(l, p_agent_part, p_actor, p_key, p_request, p_jti, flagged, '{}',
    'passport.checkpointed', jsonb_build_object('checkpoint_id', p_id),
    json_build_object('checkpoint', checkpoint_json(made), 'flags', flags_json(l.id, before),
      'next_checkpoint_due_at', iso_time(l.next_checkpoint_due_at)));
end $$;
