-- Revokes these lineages and every lineage that came of them, with the claims that vouch for them, also where a checkout has ended the
-- passports before their time: a person who decides against the report takes back what it vouched for. The operator is locked by the process that
-- calls. See end_lineages().
create function revoke_lineages(p_lineages text[], p_named text, p_reason text) returns passport_revocation language plpgsql as $$
declare
  revocation passport_revocation;
  v_vouched text[];
begin
  revocation := end_lineages(p_lineages, p_named, p_reason);
  v_vouched := revocation.revoked || array(select jti from passports
    where lineage_id = any (lineages_below(p_lineages)) and revoke_reason = 'checked_out' and expires_at > clock_timestamp());
  if v_vouched <> '{}' then revocation.claims := revoke_claims_of_passports(v_vouched, p_reason); end if;
  return revocation;
end $$;
