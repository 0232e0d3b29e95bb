-- Pending, or processing under a lease that has lapsed: the row's lease decides, not the timer.
create function is_claimable(i invocations) returns boolean language sql volatile as $$
  select i.status = 'pending' or (i.status = 'processing' and coalesce(i.lease_until <= clock_timestamp(), false));
$$;
