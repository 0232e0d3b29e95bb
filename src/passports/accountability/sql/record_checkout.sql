-- Records the checkout of a lineage, until 24 hours after its last expiry, revoked or not (decision A38). It ends what is
-- owed, and of an enforced lineage the passports with all that came of them: nothing happens after the last report. One that comes after it was missed fills the row of the review that the miss made. Where that is decided, and the report adds a
-- critical flag, it waits for a decision again: the person who decided has not seen it (decision A30). Where the agent is blocked, the block stands.
create function record_checkout(
  p_operator text, p_agent_part text, p_actor text, p_key text, p_fingerprint bytea, p_request text,
  p_id text, p_jti text, p_claim text, p_checkout_grace double precision,
  p_services text[], p_calls text, p_actions double precision, p_delegated text[], p_summary text
) returns report_answer language plpgsql as $$
declare
  kept constant text := kept_answer(p_operator, p_agent_part, p_key, p_fingerprint);
  p passports;
  begun report_begun;
  l passport_lineages;
  made checkouts;
  flagged bigint;
  moment timestamptz;
  reopened boolean;
  ended passport_revocation := row('{}'::text[], 0, 0);
begin
  if kept is not null then return row(true, kept, 0, '{}')::report_answer; end if;
  select * into p from passports where jti = p_jti;
  -- A refresh may make a lineage stricter, so every mode takes the lock that the end of passports needs.
  if p.operator_id = p_operator then perform lock_passports_exclusively(p_operator); end if;
  begun := lock_lineage_to_report(p_operator, p, p_checkout_grace, lineages_below(array[p.lineage_id]));
  l := begun.lineage;
  moment := begun.moment;
  if l.latest_expiry + interval '24 hours' <= moment then
    perform refuse('PASSPORT_EXPIRED', format('The passport expired at %s; it could be checked out within 24 hours.', iso_time(l.latest_expiry)));
  end if;
  perform refuse_checked_out(l);

  flagged := last_flag_id(l.id);
  select * into made from checkouts where lineage_id = l.id;
  made.id := coalesce(made.id, p_id);
  perform flag_reported_faults(l, p_jti, p.payload::json -> p_claim, made.id, p_services, p_calls::json, p_delegated, moment);
  reopened := coalesce(made.review_status in ('approved', 'blocked'), false) and not (made.block_future and is_agent_blocked(l.agent_id))
    and exists (select from passport_flags where lineage_id = l.id and id > flagged and severity = 'critical');
  insert into checkouts as c (id, lineage_id, session_id, operator_id, agent_id, jti, missed, services_used, tool_calls, actions_count,
      delegated_to, summary, submitted_at, claim_id, created_at, review_status, risk)
    values (made.id, l.id, l.session_id, l.operator_id, l.agent_id, p_jti, l.checkout_missed_at is not null, p_services, p_calls, p_actions,
      p_delegated, p_summary, moment, issue_report_claim(l, p_jti, made.id, p_services, p_actions, p_delegated, p_summary, moment), moment,
      case l.accountability when 'enforced' then 'pending' end,
      case l.accountability when 'enforced' then risk_of(l.id) end)
    on conflict (lineage_id) do update set jti = p_jti, services_used = p_services, tool_calls = p_calls, actions_count = p_actions,
      delegated_to = p_delegated, summary = p_summary, submitted_at = moment, claim_id = excluded.claim_id,
      review_status = case when reopened then 'pending' else c.review_status end,
      decided_at = case when reopened then null else c.decided_at end,
      hold_lifted_at = case when reopened then null else c.hold_lifted_at end
    returning * into made;
  if made.review_status = 'pending' then perform record_review_event(made); end if;
  update passport_lineages set checked_out_at = moment, next_checkpoint_due_at = null where id = l.id;
  if l.accountability = 'enforced' then ended := end_lineages(array[l.id], p_jti, 'checked_out'); end if;
  return end_report(l, p_agent_part, p_actor, p_key, p_request, p_jti, flagged, ended.revoked,
    'passport.checked_out', jsonb_build_object('checkout_id', made.id, 'risk', made.risk),
    json_build_object('checkout', checkout_json(made), 'flags', flags_json(l.id),
      'review', case when made.review_status is not null then
        json_build_object('checkout_id', made.id, 'status', made.review_status, 'risk', made.risk) end));
end $$;
