-- Gives back what charge_back() took for `p_cause`, and cancels what is still owed of it.
create function return_charge_back(p_operator text, p_cause text, p_description text) returns void language plpgsql as $$
declare taken bigint; owed receivables;
begin
  perform from wallets where operator_id = p_operator for no key update;
  select amount_cents into taken from transfers where kind = 'adjustment' and cause = p_cause;
  select * into owed from receivables where id = p_cause for no key update;
  update receivables set amount_cents = paid_cents where id = p_cause;
  update wallets set receivable_cents = receivable_cents - coalesce(owed.amount_cents - owed.paid_cents, 0) where operator_id = p_operator;
  taken := coalesce(taken, 0) + coalesce(owed.paid_cents, 0);
  if taken > 0 then
    perform credit_wallet(new_prefixed_id('txn'), p_operator, taken, 'platform:payments', 'adjustment', 'returned:' || p_cause, p_description);
  end if;
end $$;
