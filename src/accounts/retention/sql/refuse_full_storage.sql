-- Refuses new contents of an operator that keeps as many bytes as its tier allows, as they were counted last. It locks nothing.
create function refuse_full_storage(p_operator text) returns void language plpgsql as $$
declare v_used bigint; v_limit bigint;
begin
  select t.storage_bytes, s.bytes into v_limit, v_used
    from operator_tiers t join operator_storage s on s.operator_id = t.operator_id where t.operator_id = p_operator;
  if v_used >= v_limit then
    perform refuse('TIER_LIMIT_EXCEEDED', format('The operator keeps %s bytes of inputs, outputs, claims and inbound contents, and its tier allows %s. '
      || 'Erase them, wait until some are purged, or take a larger tier; the bytes are counted once a night.', v_used, v_limit),
      json_build_object('limit', v_limit, 'used', v_used));
  end if;
end $$;
