-- What the intent says, where one was given.
create function estimated_seconds(l passport_lineages) returns double precision language sql stable as $$
  select (l.intent::json ->> 'estimated_duration_seconds')::double precision;
$$;
