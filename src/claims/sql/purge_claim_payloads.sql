-- Erases the payloads of claims that operators have issued and keep no longer, each with a tombstone, p_limit at most, of the operators from
-- `p_from` to `p_to` (null: to the last) and no more than p_limit of them. Digests and places in the log stay, and so do tombstones. What was
-- issued since it was counted is counted first. `next_from` is where to go on; null: everybody was looked at.
create function purge_claim_payloads(p_from text, p_to text, p_limit int, out purged int, out next_from text) language plpgsql as $$
declare v operator_retention; c claims; looked int := 0; freed bigint; v_counted timestamptz;
begin
  purged := 0;
  for v in select * from operators_to_purge('claim_payloads', p_from, p_to, p_limit + 1) loop
    next_from := v.operator_id;
    if looked = p_limit then return; end if;
    looked := looked + 1;
    if count_claim_payloads(v.operator_id) then return; end if;
    v_counted := counted_to(v.operator_id, v.content);
    freed := 0;
    for c in
      select * from claims
      where issuer = v.operator_id and issuer <> 'op_platform' and erased_at is null and claim_type <> 'authority_erasure_tombstone'
        and created_at < v.kept_from
      order by created_at limit p_limit - purged for no key update
    loop
      perform erase_claim_payload(c.id, 'Erased with all contents of its issuer.');
      if c.created_at <= v_counted then freed := freed + octet_length(c.envelope); end if;
      purged := purged + 1;
    end loop;
    perform count_bytes(v.operator_id, v.content, -freed);
    if purged >= p_limit then return; end if; -- and it may have more
  end loop;
  next_from := null;
end $$;
