-- Revokes the passports of keys that are withdrawn, with the claims that vouch for them. Their lineages go on: what a good key has
-- signed still counts, and an agent that owes a report owes it as before. The lock of the keys is held, so no other statement changes these rows.
create function revoke_passports_of_keys(p_kids text[]) returns int language plpgsql as $$
declare
  v_reason constant text := 'The key that signed it was withdrawn';
  v_revoked text[];
begin
  with ended as (
    update passports set revoked_at = clock_timestamp(), revoke_reason = v_reason
      where kid = any(p_kids) and revoked_at is null and expires_at > clock_timestamp()
      returning jti
  ) select coalesce(array_agg(jti), '{}') into v_revoked from ended;
  perform revoke_claims_of_passports(v_revoked, v_reason);
  return cardinality(v_revoked);
end $$;
