-- Records the outcome of a pending refund, as a person found out: `succeeded` captures what is held, `failed` gives it back to the wallet. The
-- provider's list is read after that, and has the last word: a person who named the provider's refund could name a wrong one.
create function settle_refund_by_hand(p_refund text, p_status text, p_request text) returns payment_effect language plpgsql as $$
declare t top_ups; r refunds; why text;
begin
  select * into t from top_ups where id = (select top_up_id from refunds where id = p_refund);
  if not found then perform refuse('NOT_FOUND', 'There is no such refund.'); end if;
  perform lock_payment(t.payment_id);
  perform from top_ups where id = t.id for no key update;
  select * into strict r from refunds where id = p_refund for no key update;
  if r.status <> 'pending' then perform refuse('INVALID_STATE', format('The refund has %s already.', r.status)); end if;
  why := why_not_settled(r, p_status);
  if why is not null then perform refuse('INVALID_STATE', format('This refund cannot be settled so: %s.', why)); end if;
  perform settle_refund(r, p_status, p_request);
  perform apply_reversals(t);
  return report_refunds(t.payment_id);
end $$;
