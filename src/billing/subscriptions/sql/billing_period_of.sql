-- The month that an operator pays for, from the day of purchase on; without a subscription the UTC calendar month.
create function billing_period_of(p_operator text) returns table (period_start timestamptz, period_end timestamptz)
language sql stable as $$
  select coalesce(s.period_start, m.first), coalesce(s.period_end, date_add(m.first, interval '1 month', 'UTC'))
  from (select date_trunc('month', clock_timestamp(), 'UTC') as first) m
  left join subscriptions s on s.operator_id = p_operator and s.status in ('active', 'past_due', 'unpaid');
$$;
