-- Of a payment that was credited just now: a dispute of it may have been reported before, with a status that this release does not know.
create function raise_dispute_alarms(t top_ups) returns void language sql as $$
  select raise_billing_alarm('dispute_unlisted', id, t.operator_id, amount_cents, 'usd')
    from disputes where payment_id = t.payment_id and standing = 'unlisted';
$$;
