-- Promises money of a wallet to `p_cause`. Refuses 402 with the numbers that were true when it looked, and while a receivable is
-- open.
create function hold_wallet(p_hold text, p_operator text, p_amount bigint, p_cause text) returns void language plpgsql as $$
declare available bigint; owed bigint;
begin
  loop
    update wallets set held_cents = held_cents + p_amount
      where operator_id = p_operator and posted_cents - held_cents >= p_amount and receivable_cents = 0;
    exit when found;
    select posted_cents - held_cents, receivable_cents into strict available, owed from wallets where operator_id = p_operator;
    if owed > 0 then perform refuse_while_owing(p_amount, available, owed); end if;
    if available < p_amount then -- else a release or credit came between: try again
      perform refuse_uncovered(p_amount, available);
    end if;
  end loop;
  insert into holds (id, operator_id, amount_cents, cause) values (p_hold, p_operator, p_amount, p_cause);
end $$;
