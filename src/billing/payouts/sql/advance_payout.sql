-- One step of the life of a payout, `op_…:YYYY-MM`: begins the transfer of what is due where
-- there is a provider to do it: from here on the money is no longer among the earnings. `gone`: there is no such row.
create function advance_payout(p_payout text, p_configured boolean) returns text language plpgsql as $$
declare p payouts; payee payees;
begin
  perform begin_look('payout:' || p_payout);
  select * into p from payouts where operator_id = split_part(p_payout, ':', 1) and month = split_part(p_payout, ':', 2) for no key update;
  if not found then return 'gone'; end if;
  if p.status in ('due', 'transferring') then
    perform look_again('payout:' || p_payout, p.operator_id, clock_timestamp() + interval '1 hour');
  end if;
  if p.status <> 'due' or not p_configured then return p.status; end if;
  select * into strict payee from payees where operator_id = p.operator_id;
  if not payee.active then
    p.status := 'rolled_over';
  elsif payee.payout_account is null then
    p.status := 'pending_account';
  else
    update earnings set posted_cents = posted_cents - p.gross_cents where operator_id = p.operator_id;
    insert into transfers (id, debit_account, credit_account, amount_cents, kind, cause, description)
      select new_prefixed_id('txn'), 'earnings:' || p.operator_id, account, cents, kind, p.id, kind || ' of ' || p.month
      from (values ('payout', 'platform:payouts', p.net_cents), ('commission', 'platform:commission', p.commission_cents))
        as parts (kind, account, cents)
      where cents > 0;
    p.status := 'transferring';
    p.account := payee.payout_account;
  end if;
  update payouts set status = p.status, account = p.account where id = p.id;
  return p.status;
end $$;
