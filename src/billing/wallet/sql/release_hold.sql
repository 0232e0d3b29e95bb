-- Gives the open hold of `p_cause` back to the wallet, which pays what it owes from it (decision B10); the ledger shows no row of the
-- hold. Nothing to do: false.
create function release_hold(p_cause text) returns boolean language plpgsql as $$
declare hold holds; owing boolean;
begin
  update holds set status = 'released', closed_at = clock_timestamp() where cause = p_cause and status = 'held' returning * into hold;
  if not found then return false; end if;
  update wallets set held_cents = held_cents - hold.amount_cents where operator_id = hold.operator_id returning receivable_cents > 0 into owing;
  if owing then perform pay_receivables(hold.operator_id, hold.id); end if;
  return true;
end $$;
