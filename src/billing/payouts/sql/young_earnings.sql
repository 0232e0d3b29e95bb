-- How many cents that were captured for a publisher before p_before came from top-ups of the last p_days. A wallet spends its oldest money first: what is
-- left after a capture (`balance_after_cents`) is the newest of its credits, and the capture took what stood before that. A row without a balance
-- counts as if nothing had been left, so it counts as young where a top-up was.
create function young_earnings(p_operator text, p_days int, p_before timestamptz) returns bigint language sql stable as $$
  with captures as (
    select wallet, position, amount_cents as cents, coalesce(balance_after_cents, 0) as left_after
    from transfers
    where kind = 'invocation' and credit_account = 'earnings:' || p_operator and created_at < p_before
      and created_at >= clock_timestamp() - make_interval(days => p_days)
  ), credits as (
    select t.wallet, t.position, t.kind, t.amount_cents as cents, sum(t.amount_cents) over (partition by t.wallet order by t.position) as up_to
    from (select distinct wallet from captures) w join transfers t on t.wallet = w.wallet
    where t.kind in ('topup', 'adjustment') and t.credit_account = 'wallet:' || t.wallet
      and t.created_at >= clock_timestamp() - make_interval(days => p_days)
  ), spent as (
    select c.wallet, c.position, c.cents, (
      select coalesce(max(k.up_to), 0) from credits k where k.wallet = c.wallet and k.position < c.position) - c.left_after as up_to
    from captures c
  )
  select coalesce(sum(least(s.up_to, k.up_to) - greatest(s.up_to - s.cents, k.up_to - k.cents)), 0)::bigint
  from spent s join credits k on k.wallet = s.wallet and k.position < s.position and k.kind = 'topup'
    and s.up_to > k.up_to - k.cents and s.up_to - s.cents < k.up_to;
$$;
