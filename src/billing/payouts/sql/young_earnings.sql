-- How many cents that were captured for a publisher before p_before came from top-ups of the last p_days. A wallet spends its oldest money first: what is
-- left after a capture (`balance_after_cents`) is the newest of its credits, and the capture took what stood before that. So the credits of a wallet are
-- one line of cents in their order, each capture took a piece of it, and what is young of a piece is the difference of what top-ups paid up to its two ends.
-- Every row is read once and sorted, and nothing is joined row by row, so the cost grows with the rows. A row that a release without the column wrote has no
-- balance: what it left is the last balance before it, and the sum of the rows since then.
create function young_earnings(p_operator text, p_days int, p_before timestamptz) returns bigint language sql stable as $$
  with captures as (
    select wallet, position, amount_cents as cents, balance_after_cents as left_after
    from transfers
    where kind = 'invocation' and credit_account = 'earnings:' || p_operator and created_at < p_before
      and created_at >= clock_timestamp() - make_interval(days => p_days)
  ), without_balance as (
    select wallet, min(position) as first, max(position) as last from captures where left_after is null group by wallet
  ), summed as (
    select t.wallet, t.position, w.first, t.amount_cents as cents, t.kind, t.credit_account, t.balance_after_cents,
      coalesce(b.balance_after_cents, 0) + (sum(case when t.credit_account = 'wallet:' || t.wallet then t.amount_cents else -t.amount_cents end)
        over (partition by t.wallet order by t.position))::bigint as left_after
    from without_balance w
    left join lateral (
      select position, balance_after_cents from transfers
      where wallet = w.wallet and position < w.first and balance_after_cents is not null order by position desc limit 1) b on true
    join transfers t on t.wallet = w.wallet and t.position > coalesce(b.position, 0) and t.position <= w.last
  ), moves as (
    select wallet, position, null::bigint as taken, null::bigint as left_after, t.amount_cents as credited,
      case when t.kind = 'topup' then t.amount_cents else 0 end as paid
    from (select distinct wallet from captures) w join transfers t using (wallet)
    where t.kind in ('topup', 'adjustment') and t.credit_account = 'wallet:' || wallet
      and t.created_at >= clock_timestamp() - make_interval(days => p_days)
    union all
    select wallet, position, cents, left_after, 0, 0 from captures where left_after is not null
    union all
    select wallet, position, cents, left_after, 0, 0 from summed
    where balance_after_cents is null and kind = 'invocation' and credit_account = 'earnings:' || p_operator and position >= first
  ), line as (
    select *, (sum(credited) over so_far)::bigint as up_to, (sum(paid) over so_far)::bigint as paid_up_to
    from moves window so_far as (partition by wallet order by position)
  ), points as (
    -- Where a credit begins: what top-ups paid with it, and what others gave before it. A capture: its end counts, what is before its beginning does not.
    select wallet, up_to - credited as at, 0 as counts, paid_up_to as paid, up_to - credited - (paid_up_to - paid) as given from line where taken is null
    union all
    select wallet, up_to - left_after, 1, null, null from line where taken is not null
    union all
    select wallet, up_to - left_after - taken, -1, null, null from line where taken is not null
  ), placed as (
    select at, counts, max(paid) over up_to_here as paid, max(given) over up_to_here as given
    from points window up_to_here as (partition by wallet order by at)
  )
  select coalesce(sum(counts * least(paid, at - given)), 0)::bigint from placed where counts <> 0 and paid is not null;
$$;
