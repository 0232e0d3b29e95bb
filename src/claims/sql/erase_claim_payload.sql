-- Takes the payload of a claim out of the database, with all that was read from it, and records that by a tombstone. Returns the claim, which is
-- locked until the transaction ends.
create function erase_claim_payload(p_claim text, p_reason text) returns setof claims language plpgsql as $$
declare c claims; v_tombstone text;
begin
  select * into strict c from claims where id = p_claim for no key update;
  v_tombstone := issue_claim('authority_erasure_tombstone', 'carnet://claim/' || c.id,
    '{"claim_id":' || jcs_text(c.id) || ',"digest":' || jcs_text(c.digest) || coalesce(',"reason":' || jcs_text(p_reason), '')
      || ',"type":"authority_erasure_tombstone"}',
    null, null, case c.issuer when 'op_platform' then c.operator_ids else array[c.issuer] end, p_refs => array[c.id]);
  delete from claim_refs where seq = c.seq;
  return query update claims set erased_at = clock_timestamp(), tombstone_id = v_tombstone, payload_effective = null, agent_id = null,
      mission_ref = null, ends = null,
      envelope = (select json_object_agg(key, value)::text from json_each(c.envelope::json) where key <> 'payload')
    where seq = c.seq returning *;
end $$;
