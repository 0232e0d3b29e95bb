-- Gives back some of what charge_back() took under causes that begin with `p_taken`: cancels what is still owed of it first, the newest
-- debt first, and credits the rest under `p_cause`.
create function return_charge_back(p_operator text, p_taken text, p_amount bigint, p_cause text, p_description text)
returns void language plpgsql as $$
declare owed receivables; cancelled bigint; left_over bigint := p_amount;
begin
  perform from wallets where operator_id = p_operator for no key update;
  for owed in select * from receivables where operator_id = p_operator and paid_cents < amount_cents and starts_with(id, p_taken)
      order by created_at desc, id desc for no key update loop
    cancelled := least(left_over, owed.amount_cents - owed.paid_cents);
    exit when cancelled = 0;
    update receivables set amount_cents = amount_cents - cancelled where id = owed.id;
    update wallets set receivable_cents = receivable_cents - cancelled where operator_id = p_operator;
    left_over := left_over - cancelled;
  end loop;
  if left_over > 0 then
    perform credit_wallet(new_prefixed_id('txn'), p_operator, left_over, 'platform:payments', 'adjustment', p_cause, p_description);
  end if;
end $$;
