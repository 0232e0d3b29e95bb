-- Rotates or withdraws. `p_withdraw`: these keys are withdrawn, their tokens count no more and the passports that they signed are
-- revoked; the active one goes on unless it is among them. Null: the active key retires, and its tokens count until they expire.
-- p_older_than: only where the active key signs for that long (null: in any case), so that two runs of the schedule rotate once.
-- The next key takes the place of an active one that stops, and new ones (`p_kids`, at most two are needed) the places that are empty.
-- Those who issue or revoke a passport share the lock, so that none is signed by a key that is withdrawn meanwhile.
create function rotate_signing_keys(
  p_withdraw text[], p_older_than interval, p_kids text[], p_xs text[], p_privates text[], p_actor text, p_request text
) returns signing_key_rotation language plpgsql as $$
declare
  rotation signing_key_rotation;
  started text;
  made int := 0;
begin
  perform pg_advisory_xact_lock(1802201963);
  if p_withdraw is null then
    update signing_keys set status = 'retired', ended_at = clock_timestamp()
      where status = 'active' and (p_older_than is null or activated_at <= clock_timestamp() - p_older_than)
      returning kid into rotation.stopped;
    if rotation.stopped is null then return rotation; end if;
  else
    select kid into rotation.stopped from signing_keys where status = 'active' and kid = any(p_withdraw);
    update signing_keys set status = 'withdrawn', ended_at = coalesce(ended_at, clock_timestamp())
      where kid = any(p_withdraw) and status <> 'withdrawn';
  end if;
  if not exists (select from signing_keys where status = 'active') then
    update signing_keys set status = 'active', activated_at = clock_timestamp() where status = 'next';
    if not found then
      made := made + 1;
      insert into signing_keys (kid, x, private_key, status, activated_at)
        values (p_kids[made], p_xs[made], p_privates[made], 'active', clock_timestamp());
    end if;
  end if;
  if not exists (select from signing_keys where status = 'next') then
    made := made + 1;
    insert into signing_keys (kid, x, private_key, status) values (p_kids[made], p_xs[made], p_privates[made], 'next');
  end if;
  rotation.revoked := revoke_passports_of_keys(p_withdraw);
  select kid into strict started from signing_keys where status = 'active';
  insert into audit_events (operator_id, actor, action, target, detail, request_id)
    values ('op_platform', p_actor, 'signing_keys.rotated', started,
      jsonb_build_object('stopped', rotation.stopped, 'withdrawn', coalesce(p_withdraw, '{}'), 'revoked_count', rotation.revoked), p_request);
  return rotation;
end $$;
