-- Brings the wallet in line with what is known of a payment that we credited: refunds that held nothing of it and disputes (decision B10).
-- The caller holds the row of the top-up.
create function apply_reversals(t top_ups) returns void language plpgsql as $$
declare d disputes; due bigint;
begin
  perform move_for_refunds(t);
  for d in select * from disputes where payment_id = t.payment_id order by id for no key update loop
    due := dispute_due(d);
    continue when due = d.taken_cents;
    if due > d.taken_cents then
      perform charge_back(t.operator_id, due - d.taken_cents, format('dispute:%s:%s', d.id, d.moves + 1), 'Disputed payment');
    else
      perform return_charge_back(t.operator_id, format('dispute:%s:', d.id), d.taken_cents - due, format('returned:%s:%s', d.id, d.moves + 1),
        'Returned from a dispute');
    end if;
    update disputes set taken_cents = due, moves = moves + 1 where id = d.id;
  end loop;
end $$;
