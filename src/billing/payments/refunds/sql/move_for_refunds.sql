-- Moves the wallet by the difference between what it has paid for refunds that held nothing of it and what they are by now. What it gets back
-- cancels first what it still owes of them. The caller holds the row of the top-up.
create function move_for_refunds(t top_ups) returns void language plpgsql as $$
declare p refunded_payments; due bigint;
begin
  select * into p from refunded_payments where payment_id = t.payment_id for no key update;
  due := refunds_due(t);
  if not found or due = p.charged_back_cents then return; end if;
  if due > p.charged_back_cents then
    perform charge_back(t.operator_id, due - p.charged_back_cents, format('refunded:%s:%s', t.payment_id, p.moves + 1),
      'Refunded by the payment provider');
  else
    perform return_charge_back(t.operator_id, format('refunded:%s:', t.payment_id), p.charged_back_cents - due,
      format('given_back:%s:%s', t.payment_id, p.moves + 1), 'A refund came back');
  end if;
  update refunded_payments set charged_back_cents = due, moves = moves + 1 where payment_id = t.payment_id;
end $$;
