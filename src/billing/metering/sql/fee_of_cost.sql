-- The fee alone: of a model call that the provider bills to the customer's own key.
create function fee_of_cost(p_cost_microcents bigint) returns bigint language sql immutable as $$
  select (p_cost_microcents * 15 + 99) / 100;
$$;
