-- Returns what a tier with bought seats costs a month, in cents.
create function local_price(p_tier text, p_seats int) returns bigint language sql stable as $$
  select amount_cents + p_seats * (select amount_cents from local_prices where id = 'seat') from local_prices where id = p_tier;
$$;
