-- Records a claim and lets it wait for its place in the log; no other statement does either (decision L5). Its columns say what the envelope says,
-- digest and leaf are of `p_signed`, the signed bytes, and `p_refs` are the claims that it names. Returns its row; none where a claim of this digest
-- is recorded. It waits for a command that is just recording that one. Up to 1e11, issued_at is read as seconds, for filters alone.
create function record_claim(
  p_id text, p_envelope text, p_signed bytea, p_submitter text, p_agent text, p_mission text, p_refs text[],
  p_operators text[] default '{}', p_passport text default null, p_effective text default null, p_ends text default null,
  p_receipt_verified boolean default null
) returns setof claims language plpgsql as $$
declare v_made claims;
begin
  insert into claims (id, digest, issuer, subject, claim_type, claim_version, envelope, payload_effective, schema, agent_id, mission_ref, ends,
      operator_ids, receipt_verified, passport_jti, submitter, issued_at_ms)
    select p_id, 'sha256:' || encode(sha256(p_signed), 'hex'), e.issuer, e.subject, e.claim_type, e.claim_version, p_envelope, p_effective,
      claim_schema_of(e.claim_type), p_agent, p_mission, p_ends, p_operators, p_receipt_verified, p_passport, p_submitter,
      e.issued_at * case when e.issued_at < 100000000000 then 1000 else 1 end
    from json_to_record(p_envelope::json) as e (issuer text, subject text, claim_type text, claim_version bigint, issued_at bigint)
    on conflict (digest) do nothing
    returning * into v_made;
  if not found then return; end if;
  insert into claim_refs (ref, seq) select ref, v_made.seq from unnest(p_refs) as named (ref);
  perform log_claim(p_id, sha256('\x00'::bytea || p_signed));
  return next v_made;
end $$;
