-- Records a claim of the service: issuer op_platform, issued now by Postgres' clock in seconds. The payload is
-- JCS, with every default filled in; p_operators are those who read it in full, nulls and repetitions left out. The same
-- statement in the same second is the same claim. Returns its id.
create function issue_claim(
  p_type text, p_subject text, p_payload text, p_agent text, p_mission text, p_operators text[], p_passport text default null
) returns text language plpgsql as $$
declare
  seconds constant bigint := floor(extract(epoch from clock_timestamp()));
  head constant text := '{"claim_type":' || jcs_text(p_type) || ',"claim_version":1,"envelope_version":1,"issued_at":' || seconds
    || ',"issuer":"op_platform","payload":' || p_payload;
  tail constant text := ',"subject":' || jcs_text(p_subject) || '}';
  v_signed constant bytea := convert_to(head || tail, 'UTF8');
  v_digest constant text := 'sha256:' || encode(sha256(v_signed), 'hex');
  v_readers text[] := array_remove(p_operators, null);
  v_id text;
begin
  if v_readers[1] = v_readers[2] then v_readers := v_readers[1:1]; end if;
  insert into claims (id, digest, issuer, subject, claim_type, claim_version, envelope, schema, agent_id, mission_ref, operator_ids,
      passport_jti, submitter, issued_at_ms)
    values ('pc_' || new_ulid(), v_digest, 'op_platform', p_subject, p_type, 1, head || ',"receipt":null' || tail,
      claim_schema_of(p_type), p_agent, p_mission, v_readers, p_passport, 'service', seconds * 1000)
    on conflict (digest) do nothing
    returning id into v_id;
  if v_id is null then
    select id into strict v_id from claims where digest = v_digest;
  else
    perform log_claim(v_id, sha256('\x00'::bytea || v_signed));
  end if;
  return v_id;
end $$;
