-- Returns the cost of an invocation that ended, as its claim states it (JCS). `wallet_cents` is what left the wallet: the price, and the whole cents
-- that the charges of the steps completed. `compute_microcents`, of an execution, is what the steps were charged, exactly.
create function invocation_cost(i invocations) returns text language plpgsql stable as $$
declare v_price constant bigint := case i.status when 'completed' then i.price_cents else 0 end; v_sources text[]; v_microcents bigint;
begin
  if i.execution_mode = 'open' then return '{"tokens":0,"wallet_cents":' || v_price || '}'; end if;
  select array_agg(id), coalesce(sum(charged_microcents), 0) into v_sources, v_microcents from sealed_steps where invocation_id = i.id;
  return '{"compute_microcents":' || v_microcents || ',"tokens":' || tokens_of_run(i.id)
    || ',"wallet_cents":' || v_price + debited_cents_of_sources(v_sources) || '}';
end $$;
