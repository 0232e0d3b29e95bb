-- Revokes these lineages and every lineage that came of them; the operator is locked by whoever calls. What expired stays as it
-- is and is not counted. Passports of the named lineages are revoked themselves, the others with `p_named`. It ends the
-- checkpoint timers, and brings the checkout forward (checkout_expected).
create function revoke_lineages(p_lineages text[], p_named text, p_reason text) returns passport_revocation language plpgsql as $$
declare
  v_moment constant timestamptz := clock_timestamp();
  v_taken text[];
  v_sessions text[];
  v_session text;
  v_operator text;
  revocation passport_revocation;
begin
  with recursive taken (id) as (
    select unnest(p_lineages)
    union
    select child.id from passport_lineages child join taken on child.parent_lineage_id = taken.id
  ) select coalesce(array_agg(id), '{}') into v_taken from taken;
  perform from passport_lineages where id = any (v_taken) order by id for no key update;
  perform flag_misses_before_revocation(v_taken, v_moment);
  with ended as (
    update passport_lineages set revoked_at = v_moment, next_checkpoint_due_at = null
      where id = any (v_taken) and revoked_at is null
      returning session_id
  ) select coalesce(array_agg(distinct session_id), '{}') into v_sessions from ended;
  with ended as (
    update passports set revoked_at = v_moment, revoke_reason = p_reason,
        -- As a subquery it is hashed; an array would be searched for each passport, and there may be as many of both.
        revoked_with = case when lineage_id in (select unnest(p_lineages)) then null else p_named end
      where lineage_id = any (v_taken) and revoked_at is null and expires_at > v_moment
      returning jti
  ) select coalesce(array_agg(jti), '{}') into revocation.revoked from ended;
  revocation.claims := case when revocation.revoked = '{}' then 0 else revoke_claims_of_passports(revocation.revoked, p_reason) end;
  revocation.messages := 0;
  -- Only sessions that are watched have a life.
  for v_session, v_operator in
    select distinct session_id, operator_id from passport_lineages where session_id = any (v_sessions) and accountability <> 'standard'
  loop
    perform wake_life('session:' || v_session, v_operator);
    revocation.messages := revocation.messages + 1;
  end loop;
  return revocation;
end $$;
