-- Records a claim of the service: issuer op_platform, issued now by Postgres' clock in seconds. The payload is
-- JCS, with every default filled in; p_operators are those who read it in full, nulls and repetitions left out. The same
-- statement in the same second is the same claim. Returns its id.
create function issue_claim(
  p_type text, p_subject text, p_payload text, p_agent text, p_mission text, p_operators text[], p_passport text default null,
  p_refs text[] default '{}'
) returns text language plpgsql as $$
declare
  head constant text := '{"claim_type":' || jcs_text(p_type) || ',"claim_version":1,"envelope_version":1,"issued_at":'
    || floor(extract(epoch from clock_timestamp())) || ',"issuer":"op_platform","payload":' || p_payload;
  tail constant text := ',"subject":' || jcs_text(p_subject) || '}';
  v_signed constant bytea := convert_to(head || tail, 'UTF8');
  v_readers text[] := array_remove(p_operators, null);
  v_id text;
begin
  if v_readers[1] = v_readers[2] then v_readers := v_readers[1:1]; end if;
  select id into v_id from record_claim('pc_' || new_ulid(), head || ',"receipt":null' || tail, v_signed, 'service', p_agent, p_mission, p_refs,
    p_operators => v_readers, p_passport => p_passport);
  if v_id is null then
    select id into strict v_id from claims where digest = 'sha256:' || encode(sha256(v_signed), 'hex');
  end if;
  return v_id;
end $$;
