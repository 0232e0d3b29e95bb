-- The newest sources of a debit, p_most of each kind, as the end of its details.
create function debit_sources_text(p_wallet text, p_meter text, p_from_cents bigint, p_cents bigint, p_most int) returns text language plpgsql stable as $$
declare v_calls text; v_runs text; v_of_calls numeric; v_of_runs numeric; v_total bigint;
begin
  select calls, runs, of_calls, of_runs, total into v_calls, v_runs, v_of_calls, v_of_runs, v_total
    from usage_sources_text(p_wallet, p_meter, p_from_cents * 1000000, (p_from_cents + p_cents) * 1000000, p_most);
  -- Nothing is inferred: a debit is recorded when its sources make up the whole of it.
  return ',"llm_sources":[' || coalesce(v_calls, '') || '],"machine_sources":[' || coalesce(v_runs, '')
    || '],"source_count":' || v_total || ',"machine_cost_microcents":' || case when v_calls is null and v_runs is null then 'null' else coalesce(v_of_runs, 0)::text end
    || ',"source_status":"' || case when coalesce(v_of_calls, 0) + coalesce(v_of_runs, 0) = p_cents * 1000000 then 'recorded' else 'not_recorded' end || '"}';
end $$;
