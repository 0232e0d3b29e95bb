-- Begins a refund of a top-up: holds its whole amount, which its life gives back at the provider (decision B9). Returns the cents.
create function begin_refund(p_refund text, p_hold text, p_operator text, p_transaction text, p_provider text)
returns bigint language plpgsql as $$
declare credit transfers; t top_ups; w wallets; free bigint; tries int;
begin
  select * into credit from transfers where id = p_transaction and wallet = p_operator;
  if not found then perform refuse('NOT_FOUND', 'There is no such transaction, or this credential may not see it.'); end if;
  if credit.kind <> 'topup' then
    perform refuse('NOT_REFUNDABLE', format('This is a transaction of type %s; only a top-up can be refunded.', credit.kind));
  end if;
  select * into strict t from top_ups where transaction_id = p_transaction for no key update;
  if t.provider <> p_provider then
    perform refuse('NOT_REFUNDABLE', 'This top-up was paid through another payment provider than the one in use; ask us to refund it.');
  end if;
  if exists (select from disputes where payment_id = t.payment_id and status <> 'won') then
    perform refuse('NOT_REFUNDABLE', 'The payment of this top-up is disputed at your bank, which decides about the money.');
  end if;
  if credit.created_at <= clock_timestamp() - interval '30 days' then
    perform refuse('REFUND_WINDOW_EXPIRED', format('A top-up can be refunded for 30 days; this one is of %s.', iso_time(credit.created_at)));
  end if;
  if exists (select from refunds where transaction_id = p_transaction and status <> 'failed')
      or exists (select from refunded_payments where payment_id = t.payment_id and charged_back_cents > 0) then
    perform refuse('ALREADY_REFUNDED', 'This top-up was refunded already, or its refund is under way.');
  end if;
  select * into strict w from wallets where operator_id = p_operator for no key update;
  free := w.posted_cents - w.held_cents - reserved_cents(p_operator);
  if free < t.amount_cents or w.receivable_cents > 0 then
    perform refuse('BALANCE_BELOW_TOPUP',
      format('A top-up is refunded as a whole: this one is of %s cents, and the wallet has %s cents that nothing has used.', t.amount_cents,
        free),
      json_build_object('required_cents', t.amount_cents, 'balance_cents', free));
  end if;
  select count(*) into tries from refunds where transaction_id = p_transaction;
  insert into refunds (id, operator_id, top_up_id, transaction_id, amount_cents, attempt, next_call_at)
    values (p_refund, p_operator, t.id, p_transaction, t.amount_cents, tries + 1, clock_timestamp());
  perform hold_wallet(p_hold, p_operator, t.amount_cents, p_refund);
  return t.amount_cents;
end $$;
