-- Writes the passport, which counts against these budgets (null: none): what was composed, with what the row of the lineage decides, mode and interval. A token is the base64url of header,
-- payload and 64 bytes of signature, and its length is judged before anything commits, 16 KiB at most.
create function write_passport(
  l passport_lineages, p_composed composed_passport, p_parent text, p_refreshed_from text, p_issued bigint, p_expires bigint,
  p_budgets text[]
) returns passports language plpgsql as $$
declare
  v_day constant date := (to_timestamp(p_issued) at time zone 'UTC')::date;
  v_index int;
  v_payload text;
  v_length int;
  written passports;
begin
  -- As take_status_index() does, where the day has begun.
  select status_index_of(nextval('passport_status_numbers') - first, key) into v_index from passport_status_days where day = v_day;
  if not found then v_index := take_status_index(v_day); end if;
  v_payload := '{"iss":' || jcs_text(p_composed.issuer) || ',"sub":"' || l.agent_id || coalesce('","aud":' || p_composed.audience, '"')
    || ',"iat":' || p_issued || ',"exp":' || p_expires || ',"jti":"' || p_composed.jti || '",' || jcs_text(p_composed.claim) || ':' || left(p_composed.content, -1) || ',"accountability":"' || l.accountability
    || coalesce('","checkpoint_interval":' || floor(l.checkpoint_interval_seconds)::bigint, '"') || '},"status":{"status_list":{"idx":' || v_index
    || ',"uri":' || jcs_text(p_composed.issuer || '/v1/passports/status-list/' || v_day) || '}}}';
  v_length := (octet_length('{"alg":"EdDSA","kid":"","typ":"JWT"}' || p_composed.kid) * 4 + 2) / 3
    + (octet_length(v_payload) * 4 + 2) / 3 + 86 + 2;
  if v_length > 16384 then
    perform refuse('PASSPORT_TOO_LARGE',
      format('The token would have %s characters, and 16,384 is the most; request fewer services, scopes, constraints or sources.', v_length),
      json_build_object('token_length', v_length));
  end if;
  insert into passports (jti, lineage_id, session_id, operator_id, agent_id, depth, parent_jti, refreshed_from, kid, issued_at, expires_at,
      payload, status_day, status_index, budgets)
    values (p_composed.jti, l.id, l.session_id, l.operator_id, l.agent_id, l.depth, p_parent, p_refreshed_from, p_composed.kid,
      to_timestamp(p_issued), to_timestamp(p_expires), v_payload, v_day, v_index, p_budgets)
    returning * into written;
  return written;
end $$;
