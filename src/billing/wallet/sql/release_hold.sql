-- Gives the open hold of `p_cause` back to the wallet; the ledger shows no row of it. Nothing to do: false.
create function release_hold(p_cause text) returns boolean language plpgsql as $$
declare hold holds;
begin
  update holds set status = 'released', closed_at = clock_timestamp() where cause = p_cause and status = 'held' returning * into hold;
  if not found then return false; end if;
  update wallets set held_cents = held_cents - hold.amount_cents where operator_id = hold.operator_id;
  return true;
end $$;
