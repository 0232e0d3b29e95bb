-- Puts a payout that came to nothing back among the earnings, commission included.
create function return_payout(p payouts) returns void language plpgsql as $$
begin
  insert into transfers (id, debit_account, credit_account, amount_cents, kind, cause, description)
    select new_prefixed_id('txn'), credit_account, debit_account, amount_cents, kind, cause || ':returned', description || ', returned'
    from transfers where kind in ('payout', 'commission') and cause = p.id;
  update earnings set posted_cents = posted_cents + p.gross_cents where operator_id = p.operator_id;
end $$;
