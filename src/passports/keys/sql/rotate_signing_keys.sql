-- The next key signs from now on, p_kid is the new next one, and the active one retires: its tokens count until they expire.
-- p_immediate: it is withdrawn, and its tokens count no more. p_older_than: only where the active key signs for that long
-- (null: in any case), so that two runs of the schedule rotate once. Returns the key that stopped signing, or null.
create function rotate_signing_keys(
  p_immediate boolean, p_older_than interval, p_kid text, p_x text, p_private text, p_actor text, p_request text
) returns text language plpgsql as $$
declare stopped text; started text;
begin
  perform pg_advisory_xact_lock(1802201963);
  update signing_keys set status = case when p_immediate then 'withdrawn' else 'retired' end, ended_at = clock_timestamp()
    where status = 'active' and (p_older_than is null or activated_at <= clock_timestamp() - p_older_than)
    returning kid into stopped;
  if stopped is null then return null; end if;
  update signing_keys set status = 'active', activated_at = clock_timestamp() where status = 'next' returning kid into strict started;
  insert into signing_keys (kid, x, private_key, status) values (p_kid, p_x, p_private, 'next');
  insert into audit_events (operator_id, actor, action, target, detail, request_id)
    values ('op_platform', p_actor, 'signing_keys.rotated', started, jsonb_build_object('stopped', stopped, 'immediate', p_immediate), p_request);
  return stopped;
end $$;
