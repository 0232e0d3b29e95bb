-- Pays open receivables from what the wallet has available; the caller holds the wallet row.
create function pay_receivables(p_operator text, p_occasion text) returns void language plpgsql as $$
declare owed receivables; w wallets; payable bigint;
begin
  for owed in select * from receivables where operator_id = p_operator and paid_cents < amount_cents order by created_at, id for no key update loop
    select * into strict w from wallets where operator_id = p_operator for no key update;
    payable := least(w.posted_cents - w.held_cents, owed.amount_cents - owed.paid_cents);
    exit when payable <= 0;
    update wallets set posted_cents = posted_cents - payable, receivable_cents = receivable_cents - payable, last_position = last_position + 1
      where operator_id = p_operator returning * into w;
    update receivables set paid_cents = paid_cents + payable where id = owed.id;
    insert into transfers (id, debit_account, credit_account, amount_cents, kind, cause, position, balance_after_cents, description)
      values (new_prefixed_id('txn'), 'wallet:' || p_operator, 'platform:payments', payable, 'adjustment',
        'receivable:' || owed.id || ':' || p_occasion, w.last_position, w.posted_cents, 'Owed since a payment was charged back');
  end loop;
end $$;
