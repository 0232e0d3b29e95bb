-- Puts money into a wallet, once a (kind, cause); an open receivable is paid from it first. Returns the id of the transfer, the
-- first one's when it was done before.
create function credit_wallet(
  p_transfer text, p_operator text, p_amount bigint, p_debit_account text, p_kind text, p_cause text, p_description text
) returns text language plpgsql as $$
declare owing boolean; written text;
begin
  with wallet as (
    update wallets set posted_cents = posted_cents + p_amount, last_position = last_position + 1
    where operator_id = p_operator
    returning last_position, posted_cents, receivable_cents
  ), transfer as (
    insert into transfers (id, debit_account, credit_account, amount_cents, kind, cause, position, balance_after_cents, description)
    select p_transfer, p_debit_account, 'wallet:' || p_operator, p_amount, p_kind, p_cause, last_position, posted_cents, p_description
    from wallet
    on conflict on constraint transfers_kind_cause_key do nothing
    returning id
  )
  select (select receivable_cents > 0 from wallet), (select id from transfer) into owing, written;
  if written is not null then
    if owing then perform pay_receivables(p_operator, written); end if;
    return written;
  end if;
  if owing is not null then
    update wallets set posted_cents = posted_cents - p_amount, last_position = last_position - 1 where operator_id = p_operator;
  end if;
  return (select id from transfers where kind = p_kind and cause = p_cause);
end $$;
