-- Counts the bytes of the claims that an operator has issued since they were counted last, ten thousand claims at most, and returns whether
-- there may be more. A minute stays away: what is being written is not seen yet.
create function count_claim_payloads(p_operator text) returns boolean language plpgsql as $$
declare
  v_from constant timestamptz := counted_to(p_operator, 'claim_payloads');
  v_to constant timestamptz := clock_timestamp() - interval '1 minute';
  v_count int; v_bytes bigint; v_last timestamptz;
begin
  select count(*), sum(bytes), max(created_at) into v_count, v_bytes, v_last from (
    select octet_length(envelope) as bytes, created_at from claims
    where issuer = p_operator and issuer <> 'op_platform' and erased_at is null and claim_type <> 'authority_erasure_tombstone'
      and created_at > v_from and created_at <= v_to
    order by created_at fetch first 10000 rows with ties) fresh;
  if v_count > 0 then perform count_bytes(p_operator, 'claim_payloads', v_bytes, v_last); end if;
  return v_count >= 10000;
end $$;
