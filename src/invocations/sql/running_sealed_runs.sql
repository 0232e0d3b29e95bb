-- How many executions a consumer has under way, as far as that matters.
create function running_sealed_runs(p_operator text) returns int language sql stable as $$
  select count(*)::int from (
    select from invocations where consumer_operator_id = p_operator and execution_mode <> 'open' and status = 'processing'
    limit most_sealed_runs()) as under_way;
$$;
