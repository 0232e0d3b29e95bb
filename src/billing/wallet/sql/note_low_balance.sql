-- Notes that a wallet has passed its threshold, in either direction, and records the event of passing below it. A trigger calls it at the
-- end of a transaction in which it may have (0005-billing.sql): what counts is what is available then.
create function note_low_balance(p_operator text) returns void language plpgsql as $$
declare w wallets; v_low boolean;
begin
  select * into strict w from wallets where operator_id = p_operator for no key update;
  v_low := coalesce(w.posted_cents - w.held_cents < w.low_balance_cents, false);
  if v_low = w.is_low then return; end if;
  update wallets set is_low = v_low where operator_id = p_operator;
  if v_low and is_event_wanted(p_operator, 'wallet.low_balance') then
    perform record_service_event(p_operator, 'wallet.low_balance', 'warning',
      json_build_object('balance_cents', w.posted_cents - w.held_cents, 'low_balance_cents', w.low_balance_cents));
    perform announce_messages();
  end if;
end $$;
