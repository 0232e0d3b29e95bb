-- When the state is read from the provider again: after a minute at first, in the end once a day.
create function next_check_at(p_since timestamptz) returns timestamptz language sql volatile as $$
  select clock_timestamp() + least(greatest((clock_timestamp() - p_since) / 4, interval '1 minute'), interval '1 day');
$$;
