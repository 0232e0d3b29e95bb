-- Returns the name that the one call of an attempt is known by in billing.
create function classification_source(p_event text, p_attempt int) returns text language sql immutable as $$
  select p_event || '/' || p_attempt;
$$;
