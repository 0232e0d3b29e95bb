-- `a, b, c.`; of more than five the rest is counted.
create function first_few(p_names text[]) returns text language sql immutable parallel safe as $$
  select array_to_string(p_names[:5], ', ') || case when cardinality(p_names) > 5 then format(' and %s more', cardinality(p_names) - 5) else '' end
    || '.';
$$;
