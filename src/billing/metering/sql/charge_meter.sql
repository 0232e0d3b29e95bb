-- Charges microcents to a meter: they gather in the remainder, and whole cents are debited as soon as there are any. Returns where
-- the charge begins in the stream of its meter, in microcents, or null, changing nothing, when the wallet does not cover the
-- cents. The caller guards against charging twice.
create function charge_meter(
  p_transfer text, p_operator text, p_meter text, p_microcents bigint, p_kind text, p_description text,
  p_skill text default null, p_invocation text default null
) returns bigint language plpgsql as $$
declare begins bigint; debited bigint; cents bigint;
begin
  -- Most charges complete no cent: one statement.
  update wallet_remainders set charged_microcents = charged_microcents + p_microcents
    where operator_id = p_operator and meter = p_meter and (charged_microcents + p_microcents) / 1000000 = debited_cents
    returning charged_microcents - p_microcents into begins;
  if found then return begins; end if;
  insert into wallet_remainders (operator_id, meter) values (p_operator, p_meter) on conflict do nothing;
  select charged_microcents, debited_cents into begins, debited
    from wallet_remainders where operator_id = p_operator and meter = p_meter for no key update;
  cents := (begins + p_microcents) / 1000000 - debited;
  if cents > 0 and debit_wallet(p_transfer, p_operator, cents, 'platform:metering', p_kind, p_transfer, p_description,
      p_meter, debited, p_skill, p_invocation) is null then
    return null;
  end if;
  update wallet_remainders set charged_microcents = begins + p_microcents, debited_cents = debited + cents
    where operator_id = p_operator and meter = p_meter;
  return begins;
end $$;
