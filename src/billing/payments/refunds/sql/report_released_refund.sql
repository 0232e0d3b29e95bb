-- What the provider says of a refund that a person released. Had it been paid after all, it counts as one that was not made here: a refund is
-- all that was left of the payment, so all of that has gone back. A person looks, since they had
-- found otherwise. If the bank sends it back after that, a person gives it back.
-- The caller holds the rows of top-up and refund.
create function report_released_refund(t top_ups, r refunds, p_status text, p_at timestamptz, p_request text)
returns payment_effect language plpgsql as $$
declare charged bigint := outside_refunded(t);
begin
  if p_status = 'succeeded' then
    perform record_refunded_sum(t.payment_id, t.amount_cents, p_at);
    perform apply_reversals(t);
    perform raise_billing_alarm('refund_paid_after_all', r.id, r.operator_id, r.amount_cents);
    return row('paid_after_all', r.operator_id, null)::payment_effect;
  end if;
  if p_status = 'failed' then
    perform end_billing_alarm('refund_paid_after_all', r.id);
    perform record_returned_refund(r.provider_refund_id, t.payment_id, r.amount_cents, p_at);
    update refunds set by_hand = false where id = r.id;
    perform apply_reversals(t);
    if outside_refunded(t) < charged then return refund_came_back(r, p_request); end if;
  end if;
  return row('repeated', r.operator_id, null)::payment_effect;
end $$;
