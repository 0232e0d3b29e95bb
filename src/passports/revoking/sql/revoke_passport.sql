-- Revokes the lineage of one passport and everything that came of it. Once revoked or expired, there is
-- nothing left to do, and that is no fault.
create function revoke_passport(
  p_operator text, p_actor text, p_key text, p_fingerprint bytea, p_request text, p_jti text, p_reason text
) returns passport_revocation_answer language plpgsql as $$
declare
  kept constant text := kept_answer(p_operator, '', p_key, p_fingerprint);
  v_lineage text;
  revocation passport_revocation;
  v_cascaded int;
  v_body text;
begin
  if kept is not null then return row(true, kept, '{}', 0)::passport_revocation_answer; end if;
  perform lock_passports_exclusively(p_operator);
  select lineage_id into v_lineage from passports where jti = p_jti and operator_id = p_operator;
  if not found then perform refuse('NOT_FOUND', 'There is no such passport, or this credential may not see it.'); end if;
  revocation := revoke_lineages(array[v_lineage], p_jti, p_reason);
  v_cascaded := cardinality(array_remove(revocation.revoked, p_jti));
  insert into audit_events (operator_id, actor, action, target, detail, request_id)
    values (p_operator, p_actor, 'passport.revoked', p_jti, jsonb_build_object('reason', p_reason, 'cascaded_count', v_cascaded), p_request);
  v_body := json_build_object('success', true, 'jti', p_jti, 'cascaded_count', v_cascaded, 'revoked_claims_count', revocation.claims);
  perform keep_answer(p_operator, '', p_key, 200, v_body, null);
  return row(false, v_body, revocation.revoked, revocation.messages)::passport_revocation_answer;
end $$;
