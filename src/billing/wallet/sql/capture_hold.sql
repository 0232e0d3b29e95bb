-- Turns the open hold of `p_cause` into one transfer from the wallet to the earnings of `p_earner`. Nothing to do:
-- false.
create function capture_hold(
  p_cause text, p_transfer text, p_earner text, p_kind text, p_description text, p_skill text, p_invocation text
) returns boolean language plpgsql as $$
declare hold holds; taken bigint; v_left bigint;
begin
  update holds set status = 'captured', closed_at = clock_timestamp() where cause = p_cause and status = 'held' returning * into hold;
  if not found then return false; end if;
  update wallets set posted_cents = posted_cents - hold.amount_cents, held_cents = held_cents - hold.amount_cents,
      last_position = last_position + 1
    where operator_id = hold.operator_id returning last_position, posted_cents into strict taken, v_left;
  insert into transfers (id, debit_account, credit_account, amount_cents, kind, cause, position, balance_after_cents, description,
      skill_id, invocation_id)
    values (p_transfer, 'wallet:' || hold.operator_id, 'earnings:' || p_earner, hold.amount_cents, p_kind, p_cause, taken, v_left,
      p_description, p_skill, p_invocation);
  update earnings set posted_cents = posted_cents + hold.amount_cents where operator_id = p_earner;
  if not found then raise exception 'there is no earnings account of %', p_earner; end if;
  return true;
end $$;
