-- A payout was taken back from the publisher's account at the provider; also before we know the transfer.
create function record_transfer_reversed(p_transfer text, p_whole boolean, p_request text) returns payment_effect language plpgsql as $$
declare p payouts; was_whole boolean;
begin
  perform lock_payment(p_transfer);
  select whole into was_whole from transfer_reversals where transfer_id = p_transfer;
  if was_whole then return row('ignored', null, null)::payment_effect; end if;
  insert into transfer_reversals as r (transfer_id, whole) values (p_transfer, p_whole)
    on conflict (transfer_id) do update set whole = excluded.whole, reported_at = clock_timestamp();
  select * into p from payouts where provider_transfer_id = p_transfer and status = 'paid' for no key update;
  if not found then return row('kept', null, null)::payment_effect; end if;
  return reverse_payout(p, p_whole, p_request);
end $$;
