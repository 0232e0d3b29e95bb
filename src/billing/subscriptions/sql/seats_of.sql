-- Seats of the tier and bought ones, never more than the ceiling; null: without limit.
create function seats_of(p_operator text) returns table (included int, purchased int, total int, ceiling int, in_use int)
language sql stable as $$
  select t.seats, coalesce(s.purchased_seats, 0), least(t.seats + coalesce(s.purchased_seats, 0), t.seat_ceiling), t.seat_ceiling,
    count_members(p_operator)
  from operator_tiers t left join subscriptions s using (operator_id)
  where t.operator_id = p_operator;
$$;
