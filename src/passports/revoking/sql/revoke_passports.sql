-- The same for everything active of an agent, a session or the operator; an id that is unknown or another's has nothing.
create function revoke_passports(
  p_operator text, p_actor text, p_key text, p_fingerprint bytea, p_request text, p_scope text, p_id text, p_reason text
) returns passport_revocation_answer language plpgsql as $$
declare
  kept constant text := kept_answer(p_operator, '', p_key, p_fingerprint);
  revocation passport_revocation;
  v_body text;
begin
  if kept is not null then return row(true, kept, '{}', 0)::passport_revocation_answer; end if;
  revocation := revoke_active_passports(p_operator, p_scope, p_id, p_reason);
  insert into audit_events (operator_id, actor, action, target, detail, request_id)
    values (p_operator, p_actor, 'passports.revoked', p_id,
      jsonb_build_object('reason', p_reason, 'revoked_count', cardinality(revocation.revoked)), p_request);
  v_body := json_build_object('success', true, 'revoked_count', cardinality(revocation.revoked));
  perform keep_answer(p_operator, '', p_key, 200, v_body, null);
  return row(false, v_body, revocation.revoked, revocation.messages)::passport_revocation_answer;
end $$;
