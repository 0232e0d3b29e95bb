-- Records the provider's final answer to a transfer, once: its id there, or null where it was refused for good, and all of it goes
-- back to the earnings. What was taken back before the answer came is applied now.
create function settle_payout(p_payout text, p_provider_transfer text) returns void language plpgsql as $$
declare p payouts; taken_whole boolean;
begin
  perform lock_payment(p_provider_transfer);
  update payouts set status = case when p_provider_transfer is null then 'failed' else 'paid' end,
      provider_transfer_id = p_provider_transfer, paid_at = case when p_provider_transfer is not null then clock_timestamp() end
    where operator_id = split_part(p_payout, ':', 1) and month = split_part(p_payout, ':', 2) and status = 'transferring'
    returning * into p;
  if p.status = 'failed' then perform return_payout(p); end if;
  if p.status = 'paid' then
    select whole into taken_whole from transfer_reversals where transfer_id = p_provider_transfer;
    if found then perform reverse_payout(p, taken_whole, null); end if;
  end if;
end $$;
