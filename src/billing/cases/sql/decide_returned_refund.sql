-- What a person decides about what came back (refund_came_back) after the wallet had paid it: `given_back` credits the wallet, `kept` leaves it
-- as it is, since the operator has the money otherwise. `p_cents` is what the person decided about: where it is another sum by now, they
-- decide again. Either way it counts no more, so what is refunded later is taken in full.
create function decide_returned_refund(
  p_alarm text, p_decision text, p_cents bigint, p_request text, out operator_id text, out transaction_id text
) language plpgsql as $$
declare a billing_alarms; t top_ups; p refunded_payments; rest bigint; v_cause text; why text;
begin
  select * into a from billing_alarms where id = p_alarm;
  if not found then perform refuse('NOT_FOUND', 'There is no such alarm.'); end if;
  why := why_not_given_back(a);
  if why is not null then perform refuse('INVALID_STATE', format('Nothing is given back or kept of this: %s.', why)); end if;
  select * into strict t from top_ups where id = a.concerns for no key update;
  update billing_alarms set status = p_decision, decided_at = clock_timestamp() where id = p_alarm and status = 'open';
  if not found then perform refuse('INVALID_STATE', 'This was decided already.'); end if;
  operator_id := t.operator_id;
  select * into strict p from refunded_payments where payment_id = t.payment_id for no key update;
  rest := p.charged_back_cents - outside_refunded(t);
  if rest <> p_cents then
    perform refuse('INVALID_STATE', format('By now it is about %s cents, not about the %s that were decided about; look again.', rest, p_cents));
  end if;
  if p_decision = 'given_back' then
    v_cause := format('given_back:%s:%s', t.payment_id, p.moves + 1);
    perform return_charge_back(t.operator_id, format('refunded:%s:', t.payment_id), rest, v_cause, 'A refund came back');
    select id into transaction_id from transfers where kind = 'adjustment' and cause = v_cause;
  end if;
  perform audit_payment(t.operator_id, 'refund.' || p_decision, t.id, jsonb_build_object('amount_cents', rest), p_request);
  update refunded_payments set charged_back_cents = charged_back_cents - rest, moves = moves + 1,
      kept_cents = kept_cents + case p_decision when 'kept' then rest else 0 end
    where payment_id = t.payment_id;
end $$;
