-- Takes money back that the provider took from us: what the wallet has available immediately, the rest as a receivable. Once a cause.
-- The wallet never goes below zero (decision B10).
create function charge_back(p_operator text, p_amount bigint, p_cause text, p_description text) returns void language plpgsql as $$
declare w wallets; taken bigint;
begin
  select * into strict w from wallets where operator_id = p_operator for no key update;
  if exists (select from transfers where kind = 'adjustment' and cause = p_cause) or exists (select from receivables where id = p_cause) then
    return;
  end if;
  taken := least(p_amount, w.posted_cents - w.held_cents);
  if taken > 0 then
    update wallets set posted_cents = posted_cents - taken, last_position = last_position + 1
      where operator_id = p_operator returning * into w;
    insert into transfers (id, debit_account, credit_account, amount_cents, kind, cause, position, balance_after_cents, description)
      values (new_prefixed_id('txn'), 'wallet:' || p_operator, 'platform:payments', taken, 'adjustment', p_cause, w.last_position,
        w.posted_cents, p_description);
  end if;
  if taken < p_amount then
    insert into receivables (id, operator_id, amount_cents) values (p_cause, p_operator, p_amount - taken);
    update wallets set receivable_cents = receivable_cents + p_amount - taken where operator_id = p_operator;
  end if;
end $$;
