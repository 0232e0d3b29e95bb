-- The order of severities: none, low, medium, high, critical.
create function inbound_rank(p_severity text) returns int language sql immutable as $$
  select array_position(array['none', 'low', 'medium', 'high', 'critical'], p_severity);
$$;
