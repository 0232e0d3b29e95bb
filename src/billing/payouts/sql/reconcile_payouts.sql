-- Wakes the lives of payouts that seem to have none. A due one waits for a provider; a transferring one stamps its row at each try.
create function reconcile_payouts(p_configured boolean, out woken int) language sql as $$
  select wake_lives(array(
    select 'payout:' || p.operator_id || ':' || p.month from payouts p
    where p.status in ('due', 'transferring')
      and ((p.life_seen_at is null and p.created_at < clock_timestamp() - interval '10 seconds')
        or p.life_seen_at < life_store_since()
        or (p.status = 'due' and p_configured and p.life_seen_at < clock_timestamp() - interval '1 minute')
        or (p.status = 'transferring' and p.life_seen_at < clock_timestamp() - interval '1 hour'))
      and not exists (select from life_messages m where m.life = 'payout:' || p.operator_id || ':' || p.month)
    limit 100));
$$;
