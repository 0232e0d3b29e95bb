-- Subtracts from the budget of the month of `p_at` what count_agent_spending() added.
create function return_agent_spending(p_subject text, p_cents bigint, p_at timestamptz) returns void language sql as $$
  update agent_spending set cents = cents - p_cents where subject = p_subject and month = utc_month(p_at);
$$;
