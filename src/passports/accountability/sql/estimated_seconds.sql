-- The duration that the intent estimates; null: there is none.
create function estimated_seconds(l passport_lineages) returns double precision language sql stable as $$
  select (l.intent::json ->> 'estimated_duration_seconds')::double precision;
$$;
