-- Somebody said that the refunds of a payment may have changed: its list is to be read at the provider, also where the payment is known only
-- later. The life of its top-up does so.
create function report_refunds(p_payment text) returns payment_effect language plpgsql as $$
declare t top_ups;
begin
  if p_payment is null then return row('ignored', null, null)::payment_effect; end if;
  perform lock_payment(p_payment);
  update top_ups set refunds_look_at = clock_timestamp() + interval '1 minute' where payment_id = p_payment returning * into t;
  insert into refunded_payments as p (payment_id, reports) values (p_payment, 1)
    on conflict (payment_id) do update set reports = p.reports + 1, next_read_at = clock_timestamp(), reported_at = clock_timestamp();
  if t.id is null then return row('kept', null, null)::payment_effect; end if;
  return row('reported', t.operator_id, 'top-up:' || t.id)::payment_effect;
end $$;
