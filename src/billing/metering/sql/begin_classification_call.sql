-- Counts a classification by a model that is about to be made, and finds who pays: the tier, while the month's allowance lasts, else the
-- wallet, in which the most that the call can cost is held until its cost is known. `p_source` is what the call is for, and has one call.
-- Returns false, changing nothing, where the wallet does not cover it.
create function begin_classification_call(p_source text, p_call text, p_operator text, p_most_microcents bigint) returns boolean
language plpgsql as $$
declare
  v_month constant date := utc_month(clock_timestamp());
  v_cents constant bigint := ceil(cost_with_fee(p_most_microcents)::numeric / 1000000);
  v_included bigint; v_used bigint; v_over boolean;
begin
  select l3_classifications into v_included from operator_tiers where operator_id = p_operator;
  insert into usage_counters (operator_id, meter, month) values (p_operator, 'l3', v_month) on conflict do nothing;
  select used into strict v_used from usage_counters where operator_id = p_operator and meter = 'l3' and month = v_month for no key update;
  v_over := coalesce(v_used >= v_included, false);
  if v_over and v_cents > 0 then
    begin
      perform hold_wallet(new_prefixed_id('hld'), p_operator, v_cents, p_call);
    exception when sqlstate 'CN000' then -- the wallet does not cover it
      return false;
    end;
  end if;
  insert into classification_calls (source, id, operator_id, month, price_state)
    values (p_source, p_call, p_operator, v_month, case when v_over then 'wallet_price' else 'included' end);
  update usage_counters set used = used + 1, overage = overage + v_over::int
    where operator_id = p_operator and meter = 'l3' and month = v_month;
  return true;
end $$;
