-- The provider says that the refund by which a person had settled this one is about other money: it is not this one, and a person must look
-- what became of this one.
create function unname_refund(r refunds) returns void language plpgsql as $$
declare t top_ups;
begin
  select * into strict t from top_ups where id = r.top_up_id for no key update;
  update refunds set provider_refund_id = null, made_at = null where id = r.id and provider_refund_id = r.provider_refund_id;
  if not found then return; end if;
  perform raise_billing_alarm('refund_named_wrongly', r.id, r.operator_id, r.amount_cents);
  perform apply_reversals(t);
end $$;
