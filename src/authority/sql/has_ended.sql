-- In whole seconds, as a passport states it: what ends within this second is over, or a passport issued now would carry it.
create function has_ended(p_expires_at timestamptz) returns boolean language sql volatile as $$
  select coalesce(epoch_seconds(p_expires_at) <= epoch_seconds(clock_timestamp()), false);
$$;
