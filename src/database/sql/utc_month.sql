-- The UTC month of an instant, as its first day.
create function utc_month(p_at timestamptz) returns date language sql immutable as $$
  select date_trunc('month', p_at at time zone 'UTC')::date;
$$;
