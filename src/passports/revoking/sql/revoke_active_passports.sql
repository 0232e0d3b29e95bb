-- Everything active in a scope, 'operator', 'agent' or 'session', with what was delegated from it to others.
create function revoke_active_passports(p_operator text, p_scope text, p_id text, p_reason text)
returns passport_revocation language plpgsql as $$
begin
  perform lock_passports_exclusively(p_operator);
  return revoke_lineages(
    array(
      select distinct lineage_id from passports
      where operator_id = p_operator and revoked_at is null and expires_at > clock_timestamp()
        and (p_scope = 'operator' or (p_scope = 'agent' and agent_id = p_id) or (p_scope = 'session' and session_id = p_id))),
    p_id, p_reason);
end $$;
