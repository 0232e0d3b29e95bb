-- The order of severities: info, warning, critical.
create function severity_rank(p_severity text) returns int language sql immutable as $$
  select array_position(array['info', 'warning', 'critical'], p_severity);
$$;
