-- Returns what each meter of a wallet has charged and no debit has taken yet, with the newest sources of it: a JSON array. A remainder is less than a
-- cent, which may be many thousand runs of a millisecond.
create function remainders_text(p_wallet text) returns text language sql stable as $$
  select '[' || coalesce(string_agg('{"meter":"' || r.meter || '","microcents":' || r.charged_microcents - r.debited_cents * 1000000
      || ',"llm_sources":[' || coalesce(s.calls, '') || '],"machine_sources":[' || coalesce(s.runs, '') || ']}', ',' order by r.meter), '') || ']'
    from wallet_remainders r, usage_sources_text(p_wallet, r.meter, r.debited_cents * 1000000, r.charged_microcents, 200) s
    where r.operator_id = p_wallet and r.charged_microcents > r.debited_cents * 1000000;
$$;
