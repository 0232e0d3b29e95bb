-- The event types that are not written for everybody, as src/events/types.ts has them.
create function optional_event_types() returns text[] language sql immutable as $$
  select array['invocation.created', 'invocation.completed', 'invocation.failed', 'invocation.expired', 'invocation.cancelled',
    'wallet.low_balance', 'inbound.blocked', 'inbound.slow', 'inbound.recovered', 'destination.slow', 'destination.recovered'];
$$;
