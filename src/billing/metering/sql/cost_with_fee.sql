-- A cost with the fee of 15 %, rounded up, once a source row.
create function cost_with_fee(p_cost_microcents bigint) returns bigint language sql immutable as $$
  select (p_cost_microcents * 115 + 99) / 100;
$$;
