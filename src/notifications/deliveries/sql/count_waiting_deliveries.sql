-- Deliveries of a destination that have not ended, counted up to a thousand.
create function count_waiting_deliveries(p_destination text) returns bigint language sql stable as $$
  select count(*) from (select from deliveries where destination_id = p_destination and status = 'sending' limit 1000) waiting;
$$;
