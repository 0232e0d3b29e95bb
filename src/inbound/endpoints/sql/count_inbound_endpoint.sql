-- A new endpoint has received nothing.
create function count_inbound_endpoint(p_endpoint text) returns void language sql as $$
  insert into inbound_counters (endpoint_id) values (p_endpoint);
$$;
