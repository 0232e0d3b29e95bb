-- Counts a hold against the limit of the month of `p_at`; null: no limit, counted all the same. `p_at` is the created_at of the
-- invocation, so that return_agent_spending() subtracts it from the same month.
create function count_agent_spending(p_subject text, p_cents bigint, p_limit bigint, p_at timestamptz)
returns void language plpgsql as $$
declare used bigint;
begin
  insert into agent_spending as s (subject, month, cents) values (p_subject, utc_month(p_at), p_cents)
    on conflict (subject, month) do update set cents = s.cents + excluded.cents
    returning cents into used;
  if used > p_limit then
    perform refuse('AGENT_BUDGET_EXCEEDED',
      format('%s may spend %s cents a month and has used %s; this needs %s more. Raise its monthly_limit_cents or wait for the next month (UTC).',
        p_subject, p_limit, used - p_cents, p_cents),
      json_build_object('limit', p_limit, 'used', used - p_cents));
  end if;
end $$;
