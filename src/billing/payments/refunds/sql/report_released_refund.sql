-- What the provider says of a refund whose hold was released. Paid after all, it costs the wallet its own amount, less what the wallet has paid
-- for it already as a part of a sum; nothing of it is set off against what came back. A person looks, since they had found otherwise. One that
-- the bank sends back after that waits for a person, as the wallet has paid it. `p_charged` is what the wallet was to pay before this was known.
-- The caller holds the rows of top-up and refund.
create function report_released_refund(t top_ups, r refunds, p_status text, p_charged bigint, p_request text)
returns payment_effect language plpgsql as $$
declare more bigint; is_back constant boolean := exists (select from returned_refunds where id = r.provider_refund_id);
begin
  if p_status = 'succeeded' and not is_back then
    update refunds set paid_after_all = true where id = r.id;
    more := outside_refunded(t) - p_charged;
    if more > 0 then perform charge_refunded(t, more); end if;
    perform raise_billing_alarm('refund_paid_after_all', r.id, r.operator_id, r.amount_cents);
  elsif is_back then
    perform end_billing_alarm('refund_paid_after_all', r.id);
  end if;
  perform apply_reversals(t);
  if p_status = 'succeeded' and not is_back then return row('paid_after_all', r.operator_id, null)::payment_effect; end if;
  if outside_refunded(t) >= p_charged then return row('repeated', r.operator_id, null)::payment_effect; end if;
  perform audit_payment(r.operator_id, 'refund.came_back', r.id,
    jsonb_build_object('transaction_id', r.transaction_id, 'amount_cents', r.amount_cents), p_request);
  return row('came_back', r.operator_id, null)::payment_effect;
end $$;
