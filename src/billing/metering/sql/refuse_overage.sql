-- The cents that are required hold what every meter has charged and not yet debited, too.
create function refuse_overage(p_operator text, p_cost bigint) returns void language plpgsql as $$
declare available bigint; owed bigint; required bigint;
begin
  select posted_cents - held_cents, receivable_cents,
      ceil((p_cost + open_microcents(p_operator)) / 1000000)
    into strict available, owed, required from wallets where operator_id = p_operator;
  if owed > 0 then perform refuse_while_owing(required, available, owed); end if;
  perform refuse('INSUFFICIENT_CREDITS',
    format('The metered actions that the tier includes in a month are used up. Each further one costs a hundredth of a cent from the wallet, '
      || 'which has %s cents available; top it up, or take a higher tier, and send the request again.', available),
    json_build_object('required_cents', required, 'balance_cents', available));
end $$;
