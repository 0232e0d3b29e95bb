-- The scopes that a connection has now, granted or not.
create function connection_scopes(p_connection text) returns text[] language sql stable as $$
  select scopes from service_connections where id = p_connection;
$$;
