-- Turns the open hold of `p_cause` into one transfer to an account that is a sum of transfers (a provider's, the platform's).
-- Nothing to do: null.
create function capture_hold_to(p_cause text, p_transfer text, p_account text, p_kind text, p_description text)
returns text language plpgsql as $$
declare hold holds; taken bigint; v_left bigint;
begin
  update holds set status = 'captured', closed_at = clock_timestamp() where cause = p_cause and status = 'held' returning * into hold;
  if not found then return null; end if;
  update wallets set posted_cents = posted_cents - hold.amount_cents, held_cents = held_cents - hold.amount_cents,
      last_position = last_position + 1
    where operator_id = hold.operator_id returning last_position, posted_cents into strict taken, v_left;
  insert into transfers (id, debit_account, credit_account, amount_cents, kind, cause, position, balance_after_cents, description)
    values (p_transfer, 'wallet:' || hold.operator_id, p_account, hold.amount_cents, p_kind, p_cause, taken, v_left, p_description);
  return p_transfer;
end $$;
