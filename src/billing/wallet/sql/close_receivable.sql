-- Gives up what is still owed of a receivable: the platform pays it, so the wallet's rows and the platform's account show who bore the
-- loss. `p_cents` is what the person decided about: where another sum is owed by now, they decide again. Returns the credit, and the cents that were given up.
create function close_receivable(
  p_receivable text, p_cents bigint, p_request text, out operator_id text, out transaction_id text, out cents bigint
) language plpgsql as $$
declare owed receivables; place bigint; balance bigint;
begin
  select * into owed from receivables where id = p_receivable;
  if not found then perform refuse('NOT_FOUND', 'There is no such receivable.'); end if;
  perform from wallets w where w.operator_id = owed.operator_id for no key update;
  select * into strict owed from receivables where id = p_receivable for no key update;
  cents := owed.amount_cents - owed.paid_cents;
  if cents = 0 then perform refuse('INVALID_STATE', 'Nothing of this receivable is owed any more.'); end if;
  if cents <> p_cents then
    perform refuse('INVALID_STATE', format('By now %s cents are owed, not the %s that were decided about; look again.', cents, p_cents));
  end if;
  operator_id := owed.operator_id;
  transaction_id := new_prefixed_id('txn');
  update receivables set paid_cents = amount_cents where id = p_receivable;
  update wallets w set receivable_cents = w.receivable_cents - cents, last_position = w.last_position + 2
    where w.operator_id = owed.operator_id returning w.last_position, w.posted_cents into place, balance;
  insert into transfers (id, debit_account, credit_account, amount_cents, kind, cause, position, balance_after_cents, description)
    values (transaction_id, 'platform:adjustments', 'wallet:' || owed.operator_id, cents, 'adjustment', 'taken_over:' || owed.id,
      place - 1, balance + cents, 'A debt that the platform has taken over');
  insert into transfers (id, debit_account, credit_account, amount_cents, kind, cause, position, balance_after_cents, description)
    values (new_prefixed_id('txn'), 'wallet:' || owed.operator_id, 'platform:payments', cents, 'adjustment',
      'receivable:' || owed.id || ':' || transaction_id, place, balance, 'Owed since a payment was charged back');
  perform audit_payment(owed.operator_id, 'receivable.closed', transaction_id, jsonb_build_object('amount_cents', cents), p_request);
end $$;
