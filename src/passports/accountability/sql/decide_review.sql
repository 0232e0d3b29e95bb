-- A decision on a review that the caller has locked (decision A30): pending, or blocked and now approved. A block leaves the hold as it is,
-- may revoke the lineage with all that descends from it, and may bar the agent until a person lifts it. Where it does either, the caller
-- has the operator's passports exclusively. Returns the passports that it revoked.
create function decide_review(
  p_checkout text, p_decision text, p_block_future boolean, p_revoke boolean, p_notes text, p_actor text
) returns text[] language plpgsql as $$
declare
  c checkouts;
  moment constant timestamptz := clock_timestamp();
  reason constant text := coalesce(p_notes, 'Blocked by review');
  revocation passport_revocation := row('{}'::text[], 0, 0);
begin
  select * into strict c from checkouts where id = p_checkout;
  if p_revoke then revocation := revoke_lineages(array[c.lineage_id], c.jti, reason); end if;
  update checkouts set review_status = p_decision, notes = p_notes, block_future = p_block_future,
      revoked_count = c.revoked_count + cardinality(revocation.revoked), decided_at = moment, hold_lifted_at = null
    where id = p_checkout;
  perform issue_claim('operator_review', subject_of_passport(c.jti),
    '{"agent_id":' || jcs_text(c.agent_id) || ',"block_future":' || p_block_future || ',"checkout_id":' || jcs_text(c.id)
      || ',"decided_at":' || floor(extract(epoch from moment)) || ',"decided_by":' || jcs_text(p_actor)
      || ',"decision":' || jcs_text(p_decision) || ',"risk":' || jcs_text(c.risk) || ',"type":"operator_review"}',
    c.agent_id, (select only_mission(l) from passport_lineages l where l.id = c.lineage_id), array[c.operator_id]);
  if p_decision = 'blocked' then
    perform record_service_event(c.operator_id, 'passport.blocked', 'critical',
      json_build_object('jti', c.jti, 'agent_id', c.agent_id, 'checkout_id', c.id, 'reason', reason));
  end if;
  if p_block_future then
    perform block_agent(c.operator_id, c.agent_id, c.id, p_actor, p_notes);
    perform record_service_event(c.operator_id, 'agent.blocked', 'critical',
      json_build_object('agent_id', c.agent_id, 'reason', reason, 'checkout_id', c.id));
  end if;
  return revocation.revoked;
end $$;
