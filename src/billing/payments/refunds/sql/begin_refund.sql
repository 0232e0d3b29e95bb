-- Begins a refund of a top-up: holds what of it was not refunded at the provider already, which its life gives back there.
-- Returns the cents.
create function begin_refund(p_refund text, p_hold text, p_operator text, p_transaction text, p_provider text)
returns bigint language plpgsql as $$
declare credit transfers; t top_ups; w wallets; tries int; rest bigint; free bigint;
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
  if exists (select from disputes where payment_id = t.payment_id and standing in ('taken', 'unlisted')) then
    perform refuse('NOT_REFUNDABLE', 'The payment of this top-up is disputed at your bank, which decides about the money.');
  end if;
  if credit.created_at <= clock_timestamp() - interval '30 days' then
    perform refuse('REFUND_WINDOW_EXPIRED', format('A top-up can be refunded for 30 days; this one is of %s.', iso_time(credit.created_at)));
  end if;
  rest := t.amount_cents - coalesce((select sum(cents) from provider_refunds where payment_id = t.payment_id and status <> 'failed'), 0);
  if rest <= 0 or exists (select from refunds where transaction_id = p_transaction and status <> 'failed') then
    perform refuse('ALREADY_REFUNDED', 'This top-up was refunded already, or its refund is under way.');
  end if;
  select * into strict w from wallets where operator_id = p_operator for no key update;
  free := w.posted_cents - w.held_cents - reserved_cents(p_operator);
  if free < rest or w.receivable_cents > 0 then
    perform refuse('BALANCE_BELOW_TOPUP',
      format('A top-up is refunded as a whole: of this one %s cents are left to refund, and the wallet has %s cents that nothing has used.', rest,
        free),
      json_build_object('required_cents', rest, 'balance_cents', free));
  end if;
  select count(*) into tries from refunds where transaction_id = p_transaction;
  insert into refunds (id, operator_id, top_up_id, transaction_id, amount_cents, attempt, next_call_at)
    values (p_refund, p_operator, t.id, p_transaction, rest, tries + 1, clock_timestamp());
  perform hold_wallet(p_hold, p_operator, rest, p_refund);
  return rest;
end $$;
