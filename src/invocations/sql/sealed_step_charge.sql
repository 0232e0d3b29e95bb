-- Returns what a step costs its consumer, in microcents: the cost and 15 %, or the fee alone where the key is a customer's.
create function sealed_step_charge(s sealed_steps) returns bigint language sql immutable as $$
  select coalesce(case s.key_source when 'platform' then cost_with_fee(s.cost_microcents) else fee_of_cost(s.cost_microcents) end, 0);
$$;
