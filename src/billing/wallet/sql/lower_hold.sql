-- Lowers the open hold of `p_cause` to `p_cents`, 0 releases it. The rest is to be charged in this transaction, so unlike release_hold()
-- it pays nothing that the wallet owes: the caller does when it has charged.
create function lower_hold(p_cause text, p_cents bigint) returns void language plpgsql as $$
declare v_operator text; v_before bigint;
begin
  select operator_id, amount_cents into v_operator, v_before from holds where cause = p_cause and status = 'held' for no key update;
  if not found then return; end if;
  if p_cents > 0 then
    update holds set amount_cents = p_cents where cause = p_cause;
  else
    update holds set status = 'released', closed_at = clock_timestamp() where cause = p_cause;
  end if;
  update wallets set held_cents = held_cents - (v_before - p_cents) where operator_id = v_operator;
end $$;
