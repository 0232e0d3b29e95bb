-- What a person decides about a refund that came back (refund_came_back) after the wallet had paid it: `given_back` credits the wallet,
-- `dismissed` notes that it was settled without the wallet. Either way it counts no more, so what is refunded later is taken in full.
create function decide_returned_refund(p_alarm text, p_decision text, p_request text, out operator_id text, out transaction_id text, out life text)
language plpgsql as $$
declare a billing_alarms; t top_ups; r refunds; p refunded_payments; rest bigint; v_cause text; why text;
begin
  select * into a from billing_alarms where id = p_alarm;
  if not found then perform refuse('NOT_FOUND', 'There is no such alarm.'); end if;
  why := why_not_given_back(a);
  if why is not null then perform refuse('INVALID_STATE', format('Nothing is given back of this: %s.', why)); end if;
  select * into r from refunds where id = a.concerns;
  select * into strict t from top_ups where id = coalesce(r.top_up_id, a.concerns) for no key update;
  update billing_alarms set status = p_decision, decided_at = clock_timestamp() where id = p_alarm and status = 'open' returning * into a;
  if not found then perform refuse('INVALID_STATE', 'This was decided already.'); end if;
  operator_id := t.operator_id;
  if r.id is not null then
    if p_decision = 'given_back' then
      v_cause := 'unrefunded:' || r.id;
      select effect.life into life from settle_refund(r.id, null, 'failed', null, p_request) effect;
      -- The provider may still say what became of it.
      update refunds set by_hand = true where id = r.id;
    end if;
  else
    select * into strict p from refunded_payments where payment_id = t.payment_id for no key update;
    rest := p.charged_back_cents - outside_refunded(t);
    if p_decision = 'given_back' then
      v_cause := format('given_back:%s:%s', t.payment_id, p.moves + 1);
      perform return_charge_back(t.operator_id, format('refunded:%s:', t.payment_id), rest, v_cause, 'A refund came back');
      perform audit_payment(t.operator_id, 'refund.given_back', t.id, jsonb_build_object('amount_cents', rest), p_request);
    end if;
    update refunded_payments set charged_back_cents = charged_back_cents - rest, moves = moves + 1,
        dismissed_cents = dismissed_cents + case p_decision when 'dismissed' then rest else 0 end
      where payment_id = t.payment_id;
  end if;
  select id into transaction_id from transfers where kind = 'adjustment' and cause = v_cause;
end $$;
