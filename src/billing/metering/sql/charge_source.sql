-- Charges usage to its meter; what is debited names the work whose charge completed the cent. Refuses INSUFFICIENT_CREDITS where the wallet does not
-- cover it, remainders included. Returns where the charge begins in the stream; null: there is nothing to charge.
create function charge_source(p_operator text, p_meter text, p_microcents bigint, p_description text, p_skill text, p_invocation text)
returns bigint language plpgsql as $$
declare begins bigint; available bigint; owed bigint; required bigint;
begin
  if p_microcents = 0 then return null; end if;
  begins := charge_meter(new_prefixed_id('txn'), p_operator, p_meter, p_microcents,
    case p_meter when 'sealed_execution' then 'compute' when 'llm_gateway' then 'compute' when 'identity' then 'identity' else 'overage' end,
    p_description, p_skill, p_invocation);
  if begins is not null then return begins; end if;
  select posted_cents - held_cents, receivable_cents into strict available, owed from wallets where operator_id = p_operator;
  required := ceil((open_microcents(p_operator) + p_microcents) / 1000000);
  if owed > 0 then perform refuse_while_owing(required, available, owed); end if;
  perform refuse_uncovered(required, available);
end $$;
