-- When an open row whose life has seen it is looked at again: when that life must have missed the deadline, or the end of the lease.
create function invocation_look_at(i invocations) returns timestamptz language sql stable as $$
  select least(i.expires_at + interval '30 seconds', i.lease_until + interval '1 minute');
$$;
