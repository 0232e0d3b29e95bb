-- Returns what a reading of the provider's list of refunds begins with: the payment and its provider, which reports it will cover, and how many lists
-- were set until now (`set_refunds`). No row: nothing was paid.
create function begin_refund_reading(p_top_up text)
returns table (payment text, provider text, reports bigint, readings bigint) language plpgsql as $$
begin
  insert into refunded_payments (payment_id) select t.payment_id from top_ups t where t.id = p_top_up and t.payment_id is not null
    on conflict do nothing;
  return query select t.payment_id, t.provider, p.reports, p.readings from top_ups t join refunded_payments p using (payment_id)
    where t.id = p_top_up;
end $$;
