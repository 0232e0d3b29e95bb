-- Applies what was reported before a payment that was credited just now: its life reads its refunds, its disputes move the wallet, and one of a
-- status that this release does not know is an alarm.
create function apply_earlier_reports(t top_ups) returns void language plpgsql as $$
begin
  update top_ups set refunds_look_at = clock_timestamp() + interval '1 minute'
    where id = t.id and exists (select from refunded_payments where payment_id = t.payment_id);
  perform apply_reversals(t);
  perform raise_billing_alarm('dispute_unlisted', id, t.operator_id, amount_cents, 'usd')
    from disputes where payment_id = t.payment_id and standing = 'unlisted';
end $$;
