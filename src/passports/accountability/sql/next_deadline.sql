-- Returns the first of both; null: nothing is expected.
create function next_deadline(l passport_lineages, p_checkout_grace double precision) returns timestamptz language sql stable as $$
  select least(checkpoint_deadline(l), checkout_deadline(l, p_checkout_grace));
$$;
