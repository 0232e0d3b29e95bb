-- Milliseconds until an instant, as a life waits: a second at least, and a second where there is none.
create function ms_until(p_instant timestamptz) returns bigint language sql volatile as $$
  select greatest(1000, ceil(extract(epoch from p_instant - clock_timestamp()) * 1000)::bigint);
$$;
