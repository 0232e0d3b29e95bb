-- Charges microcents to a meter: they gather in the remainder, and whole cents are debited as soon as there are any. Returns where
-- the charge begins in the stream of its meter, in microcents, or null, changing nothing, when the wallet does not cover it with what
-- all meters have begun to use. The caller guards against charging twice.
create function charge_meter(
  p_transfer text, p_operator text, p_meter text, p_microcents bigint, p_kind text, p_description text,
  p_skill text default null, p_invocation text default null
) returns bigint language plpgsql as $$
declare w wallets; begins bigint; debited bigint; cents bigint;
begin
  -- The wallet is locked before anything is compared: two meters in parallel would each count the same part of a cent as free.
  select * into strict w from wallets where operator_id = p_operator for no key update;
  -- As numeric: microcents of a large wallet are more than a bigint holds.
  if w.receivable_cents > 0 or (w.posted_cents - w.held_cents)::numeric * 1000000 - open_microcents(p_operator) < p_microcents then
    return null;
  end if;
  -- Most charges complete no cent: one statement.
  update wallet_remainders set charged_microcents = charged_microcents + p_microcents
    where operator_id = p_operator and meter = p_meter and (charged_microcents + p_microcents) / 1000000 = debited_cents
    returning charged_microcents - p_microcents into begins;
  if found then return begins; end if;
  insert into wallet_remainders (operator_id, meter) values (p_operator, p_meter) on conflict do nothing;
  select charged_microcents, debited_cents into begins, debited from wallet_remainders where operator_id = p_operator and meter = p_meter;
  cents := (begins + p_microcents) / 1000000 - debited;
  if cents > 0 then
    perform debit_wallet(p_transfer, p_operator, cents, 'platform:metering', p_kind, p_transfer, p_description, p_meter, debited, p_skill,
      p_invocation);
  end if;
  update wallet_remainders set charged_microcents = begins + p_microcents, debited_cents = debited + cents
    where operator_id = p_operator and meter = p_meter;
  return begins;
end $$;
