-- Brings a subscription up to now: each period that is over is paid and renewed, in the tier planned for it, or ends the subscription.
create function renew_local_subscription(p_subscription text) returns void language plpgsql as $$
declare s local_subscriptions;
begin
  select * into s from local_subscriptions where id = p_subscription for no key update;
  while s.status = 'active' and s.period_end <= clock_timestamp() loop
    if s.cancel_at_period_end then
      s.status := 'canceled';
    else
      s.months := s.months + 1;
      s.period_start := s.period_end;
      s.period_end := s.started_at + make_interval(months => s.months);
      s.tier := coalesce(s.next_tier, s.tier);
      s.next_tier := null;
      insert into local_payments (id, receipt_id, customer_id, subscription_id, amount_cents, description, created_at)
        values (new_prefixed_id('lpay'), new_prefixed_id('lpay'), s.customer_id, s.id, local_price(s.tier, s.purchased_seats), 'Renewal, ' || s.tier, s.period_start);
    end if;
    update local_subscriptions set status = s.status, months = s.months, period_start = s.period_start, period_end = s.period_end,
      tier = s.tier, next_tier = s.next_tier where id = s.id;
  end loop;
end $$;
