-- The whole cents of a wallet that its meters have begun to use and not debited yet: promised to nothing else.
create function reserved_cents(p_operator text) returns bigint language sql stable as $$
  select ceil(open_microcents(p_operator) / 1000000)::bigint;
$$;
