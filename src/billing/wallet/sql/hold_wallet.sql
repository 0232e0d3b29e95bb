-- Promises money of a wallet to `p_cause`. Refuses INSUFFICIENT_CREDITS with the numbers that were true when it looked, and while a receivable is
-- open. A cent that a meter has begun to use is not promised again. `p_parts`: what the amount is made of, for the refusal.
create function hold_wallet(p_hold text, p_operator text, p_amount bigint, p_cause text, p_parts jsonb default null) returns void language plpgsql as $$
declare available bigint; owed bigint; required bigint;
begin
  select posted_cents - held_cents, receivable_cents into strict available, owed from wallets where operator_id = p_operator for no key update;
  if owed > 0 then perform refuse_while_owing(p_amount, available, owed); end if;
  required := p_amount + reserved_cents(p_operator);
  if available < required then perform refuse_uncovered(required, available, p_parts); end if;
  update wallets set held_cents = held_cents + p_amount where operator_id = p_operator;
  insert into holds (id, operator_id, amount_cents, cause) values (p_hold, p_operator, p_amount, p_cause);
end $$;
