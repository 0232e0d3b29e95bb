-- Seats of the tier and bought ones, never more than the ceiling, and how many people have one; null: without limit.
create function seats_of(p_operator text) returns table (included int, purchased int, total int, ceiling int, in_use int)
language sql stable as $$
  select included, purchased, total, ceiling, count_members(p_operator) from operator_seats where operator_id = p_operator;
$$;
