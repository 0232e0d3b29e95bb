-- Revokes the claims that vouch for these passports. Returns how many it revoked.
create function revoke_claims_of_passports(p_jtis text[], p_reason text) returns int language plpgsql as $$
declare revoked int;
begin
  update claims set revoked_at = clock_timestamp(), revoke_reason = p_reason
    where passport_jti = any(p_jtis) and revoked_at is null;
  get diagnostics revoked = row_count;
  return revoked;
end $$;
