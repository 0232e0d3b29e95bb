-- How much of a payment that we credited the wallet is to pay for refunds that hold nothing of it, by all that is known, in whatever order it
-- came (decision B37): refunds of ours that were released and paid after all, and what was refunded without us: of each sum what neither came
-- back since nor is ours; the largest counts.
create function outside_refunded(t top_ups) returns bigint language sql stable as $$
  with ours as (
    -- One that nobody has seen at the provider was made after it was requested; a minute is for clocks that differ.
    select r.amount_cents as cents, r.paid_after_all, coalesce(r.made_at, r.created_at - interval '1 minute') as since, b.at as until
    from refunds r left join returned_refunds b on b.id = r.provider_refund_id
    where r.top_up_id = t.id and (r.status <> 'failed' or r.paid_after_all or b.id is not null)
  )
  select coalesce((select sum(cents) from ours where paid_after_all and until is null), 0)::bigint
    + coalesce(max(greatest(0, known.cents - coalesce(counted.cents, 0))), 0)::bigint
  from refunded_sums s
  cross join lateral (
    select least(s.cents, t.amount_cents) - coalesce(sum(coalesce(b.cents, s.cents)), 0) as cents
    from returned_refunds b
    where b.payment_id = s.payment_id and b.at >= s.at
      and not exists (select from refunds r where r.provider_refund_id = b.id)) known
  -- A sum counts ours that was there by its time, but none that is more than it. Whatever the clocks say, it counts one without which there
  -- was not so much to refund.
  cross join lateral (
    select sum(o.cents) as cents
    from ours o
    where (o.until is null or o.until >= s.at) and s.cents >= o.cents and (o.since <= s.at or known.cents > t.amount_cents - o.cents)) counted
  where s.payment_id = t.payment_id;
$$;
