-- Seconds since 1970, whole ones as in a JWT.
create function epoch_seconds(p_instant timestamptz) returns bigint language sql immutable parallel safe as $$
  select floor(extract(epoch from p_instant))::bigint;
$$;
