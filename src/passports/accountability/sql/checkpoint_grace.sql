-- How long a checkpoint may come after it was due before it counts as missed: 25 % of its interval, from 30 s to 300 s.
create function checkpoint_grace(p_interval_seconds double precision) returns interval language sql immutable parallel safe as $$
  select make_interval(secs => greatest(30, least(300, p_interval_seconds * 0.25)));
$$;
