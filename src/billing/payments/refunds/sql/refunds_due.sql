-- How much of a payment that we credited the wallet is to pay for refunds that hold nothing of it, by the provider's list: those without us,
-- and those of ours that were released and are refunded nevertheless (decision B10).
create function refunds_due(t top_ups) returns bigint language sql stable as $$
  select coalesce(sum(l.cents), 0)::bigint
  from provider_refunds l left join refunds r on r.id = l.refund_id
  where l.payment_id = t.payment_id and l.status <> 'failed' and coalesce(r.status, 'failed') = 'failed';
$$;
