-- Takes money out of a wallet if it covers it and owes nothing, once a (kind, cause). `p_meter_from` with `p_meter`: the place of the
-- debit in the stream of its meter. Returns the id of the transfer, the first one's when it was done before, and null when the
-- wallet does not cover it.
create function debit_wallet(
  p_transfer text, p_operator text, p_amount bigint, p_credit_account text, p_kind text, p_cause text, p_description text,
  p_meter text default null, p_meter_from bigint default null, p_skill text default null, p_invocation text default null
) returns text language plpgsql as $$
declare debited boolean; written text;
begin
  with wallet as (
    update wallets set posted_cents = posted_cents - p_amount, last_position = last_position + 1
    where operator_id = p_operator and posted_cents - held_cents >= p_amount and receivable_cents = 0
    returning last_position, posted_cents
  ), transfer as (
    insert into transfers (id, debit_account, credit_account, amount_cents, kind, cause, position, balance_after_cents, meter, meter_from_cents,
      description, skill_id, invocation_id)
    select p_transfer, 'wallet:' || p_operator, p_credit_account, p_amount, p_kind, p_cause, last_position, posted_cents, p_meter, p_meter_from,
      p_description, p_skill, p_invocation
    from wallet
    on conflict on constraint transfers_kind_cause_key do nothing
    returning id
  )
  select exists (select from wallet), (select id from transfer) into debited, written;
  if written is not null then return written; end if;
  if debited then -- a rival did it first, and we still hold the lock: take our half back
    update wallets set posted_cents = posted_cents + p_amount, last_position = last_position - 1 where operator_id = p_operator;
  end if;
  return (select id from transfers where kind = p_kind and cause = p_cause);
end $$;
