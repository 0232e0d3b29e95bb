-- Whether the tier of its operator leaves a destination without deliveries: some channels need a paid one.
create function is_destination_paused(p_channel text, p_tier text) returns boolean language sql immutable as $$
  select (traits_of_channel(p_channel)).paid and p_tier = 'free';
$$;
