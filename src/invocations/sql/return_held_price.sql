-- Returns what an invocation that did not complete had promised: to its budgets, then the hold to the wallet.
create function return_held_price(i invocations) returns void language plpgsql as $$
begin
  if i.price_cents + i.compute_bound_cents = 0 then return; end if;
  perform return_budgets(i, i.price_cents + i.compute_bound_cents);
  perform release_hold(i.id);
end $$;
