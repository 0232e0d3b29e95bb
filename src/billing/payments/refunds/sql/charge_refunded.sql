-- The wallet pays for a refund that held nothing of it. The caller holds the row of the top-up.
create function charge_refunded(t top_ups, p_cents bigint) returns void language plpgsql as $$
declare v_moves int;
begin
  insert into refunded_payments (payment_id) values (t.payment_id) on conflict do nothing;
  update refunded_payments set charged_back_cents = charged_back_cents + p_cents, moves = moves + 1 where payment_id = t.payment_id
    returning moves into v_moves;
  perform charge_back(t.operator_id, p_cents, format('refunded:%s:%s', t.payment_id, v_moves), 'Refunded by the payment provider');
end $$;
