-- Whether an endpoint holds an event that has its verdict: by its severity, or since a part of it was not scanned. In `shadow` nothing is held.
create function is_inbound_held(e inbound_endpoints, v inbound_events) returns boolean language sql immutable as $$
  select e.mode = 'enforce'
    and (inbound_rank(v.severity) >= inbound_rank(e.block_at) or v.findings @> '[{"detector_key": "unscanned"}]');
$$;
