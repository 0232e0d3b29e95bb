-- A payout was taken back from the publisher's account at the provider. Where all of it was, the payout has failed after all: everything is
-- among the earnings again, commission included, and part of the next statement. A part is for a person.
create function record_transfer_reversed(p_transfer text, p_whole boolean, p_request text) returns payment_effect language plpgsql as $$
declare p payouts;
begin
  select * into p from payouts where provider_transfer_id = p_transfer and status = 'paid' for no key update;
  if not found then return row('ignored', null, null)::payment_effect; end if;
  perform audit_payment(p.operator_id, 'payout.reversed', p.id, jsonb_build_object('transfer_id', p_transfer, 'whole', p_whole), p_request);
  if not p_whole then
    perform raise_billing_alarm('payout_reversed_in_part', p.id, p.operator_id, null);
    return row('reversed_in_part', p.operator_id, null)::payment_effect;
  end if;
  perform end_billing_alarm('payout_reversed_in_part', p.id);
  update payouts set status = 'failed', provider_transfer_id = null, paid_at = null where id = p.id;
  perform return_payout(p);
  return row('reversed', p.operator_id, null)::payment_effect;
end $$;
