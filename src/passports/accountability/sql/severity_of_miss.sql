-- How severe it is that a report did not come.
create function severity_of_miss(l passport_lineages) returns text language sql immutable as $$
  select case l.accountability when 'enforced' then 'critical' else 'warning' end;
$$;
