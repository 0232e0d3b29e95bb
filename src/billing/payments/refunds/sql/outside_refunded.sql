-- How much of a payment that we credited is refunded now without us, by all that is known of it, in whatever order it came: of each sum what
-- neither came back since nor is ours; the largest counts (decision B37). A sum counts ours that is above the rest, since ours takes all that
-- was left of the payment; or that is newer than ours and as large, and a minute is for clocks that differ. There is one of ours at a time,
-- so a sum counts the first.
create function outside_refunded(t top_ups) returns bigint language sql stable as $$
  select coalesce(max(greatest(0, known.cents - coalesce(ours.amount_cents, 0))), 0)::bigint
  from refunded_sums s
  cross join lateral (
    select least(s.cents, t.amount_cents) - coalesce(sum(coalesce(b.cents, s.cents)), 0) as cents
    from returned_refunds b
    where b.payment_id = s.payment_id and b.at >= s.at
      and not exists (select from refunds r where r.provider_refund_id = b.id)) known
  left join lateral (
    select r.amount_cents
    from refunds r left join returned_refunds b on b.id = r.provider_refund_id
    where r.top_up_id = t.id and (r.status <> 'failed' or b.at >= s.at)
      and (known.cents > t.amount_cents - r.amount_cents
        or (s.cents >= r.amount_cents and s.at > r.created_at - interval '1 minute'))
    order by r.attempt limit 1) ours on true
  where s.payment_id = t.payment_id;
$$;
