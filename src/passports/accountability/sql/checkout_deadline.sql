-- When the checkout counts as missed; null: none is expected.
create function checkout_deadline(l passport_lineages, p_checkout_grace double precision) returns timestamptz language sql stable as $$
  select checkout_expected(l) + make_interval(secs => p_checkout_grace);
$$;
