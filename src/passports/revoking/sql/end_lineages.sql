-- Ends the passports of these lineages and of every lineage that came of them; the operator is locked by the caller. What expired
-- stays as it is and is not counted. Passports of the named lineages are ended themselves, the others with `p_named`. It ends the checkpoints
-- that they owe by themselves, and brings the checkout forward (checkout_expected); an enforced agent may be silent no longer for it
-- (checkpoint_due). Claims that vouch for them stand.
create function end_lineages(p_lineages text[], p_named text, p_reason text) returns passport_revocation language plpgsql as $$
declare
  v_moment constant timestamptz := clock_timestamp();
  v_taken constant text[] := lineages_below(p_lineages);
  v_sessions text[];
  v_session text;
  v_operator text;
  revocation passport_revocation;
begin
  perform from passport_lineages where id = any (v_taken) order by id for no key update;
  perform flag_missed_until(v_taken, v_moment);
  with ended as (
    update passport_lineages set revoked_at = v_moment,
        next_checkpoint_due_at = case when accountability = 'enforced' then next_checkpoint_due_at end
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
  revocation.claims := 0;
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
