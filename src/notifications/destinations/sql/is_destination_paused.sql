-- Whether the tier of its operator leaves a destination without deliveries: SMS and webhooks need a paid one.
create function is_destination_paused(p_channel text, p_tier text) returns boolean language sql immutable as $$
  select p_channel <> 'email' and p_tier = 'free';
$$;
