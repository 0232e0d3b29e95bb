-- Seconds since 1970, whole ones as in a JWT. Stable as extract() is: Postgres then puts the expression in place of the call.
create function epoch_seconds(p_instant timestamptz) returns bigint language sql stable parallel safe as $$
  select floor(extract(epoch from p_instant))::bigint;
$$;
