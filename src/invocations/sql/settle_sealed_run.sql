-- Charges the steps of an execution that ends, and lowers its hold to the price where that is due (`p_completed`): in one transaction, so
-- that what was promised for them is theirs. Returns the cents charged, rounded up. Budgets come before the wallet (rule 12). The platform
-- pays the steps that are not covered, where a payment was charged back meanwhile and took what was held, and those that would come to more
-- than was held, where prices have risen since.
create function settle_sealed_run(i invocations, p_completed boolean) returns bigint language plpgsql as $$
declare
  v_price constant bigint := case when p_completed then i.price_cents else 0 end;
  v_most constant bigint := i.compute_bound_cents * 1000000;
  s sealed_steps; v_expected bigint; v_charged bigint := 0; v_cents bigint;
begin
  select least(ceil(coalesce(sum(sealed_step_charge(one)), 0) / 1000000.0)::bigint, i.compute_bound_cents) into v_expected from sealed_steps one where invocation_id = i.id;
  perform return_budgets(i, i.price_cents + i.compute_bound_cents - v_price - v_expected);
  perform lower_hold(i.id, v_price);
  for s in select * from sealed_steps where invocation_id = i.id and cost_microcents is not null
      and (kind = 'script' or model_call is not null) order by step_index loop
    begin
      s.charged_microcents := record_sealed_step(i, s, case when v_charged + sealed_step_charge(s) <= v_most then 'wallet_price' else 'covered' end);
    exception when sqlstate 'CN000' then
      s.charged_microcents := record_sealed_step(i, s, 'covered');
    end;
    v_charged := v_charged + s.charged_microcents;
    update sealed_steps set charged_microcents = s.charged_microcents where invocation_id = i.id and step_index = s.step_index;
  end loop;
  update sealed_steps set output = null where invocation_id = i.id and output is not null;
  perform pay_receivables(i.consumer_operator_id, i.id);
  v_cents := ceil(v_charged / 1000000.0)::bigint;
  perform return_budgets(i, v_expected - v_cents);
  return v_cents;
end $$;
