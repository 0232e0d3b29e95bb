-- A payout that was paid was taken back. Where all of it was, the payout has failed after all: everything is among the earnings again,
-- commission included, and part of the next statement. A part is for a person. The caller holds the row.
create function reverse_payout(p payouts, p_whole boolean, p_request text) returns payment_effect language plpgsql as $$
begin
  perform audit_payment(p.operator_id, 'payout.reversed', p.id, jsonb_build_object('transfer_id', p.provider_transfer_id, 'whole', p_whole),
    p_request);
  if not p_whole then
    perform raise_billing_alarm('payout_reversed_in_part', p.id, p.operator_id, null, null, clock_timestamp());
    return row('reversed_in_part', p.operator_id, null)::payment_effect;
  end if;
  perform end_billing_alarm('payout_reversed_in_part', p.id);
  update payouts set status = 'failed', provider_transfer_id = null, paid_at = null where id = p.id;
  perform return_payout(p);
  return row('reversed', p.operator_id, null)::payment_effect;
end $$;
