-- A text as RFC 8785 (JCS) writes it; null is `null`. Postgres escapes JSON strings exactly so: the short escapes, \u00xx in
-- lower case for the other control characters, everything else as it is. Stable as to_json() is:
-- Postgres then puts the expression in place of the call.
create function jcs_text(value text) returns text language sql stable parallel safe as $$
  select coalesce(to_json(value)::text, 'null');
$$;
