-- Counts cents against every budget of a chain, or refuses and counts against none. The rows are locked root first, as everywhere, so that
-- delegates of one root wait for each other and never in a circle. The lock is a statement of its own: one statement that has waited for a row
-- judges it as it was before, and would leave it out although money was given back to it meanwhile.
create function count_passport_spending(p_budgets text[], p_cents bigint) returns void language plpgsql as $$
declare counted text[];
begin
  perform from unnest(p_budgets) with ordinality named (jti, nth) join passport_budgets b on b.jti = named.jti
    order by named.nth for no key update of b;
  with spent as (
    update passport_budgets set used_cents = used_cents + p_cents
      where jti = any (p_budgets) and amount_cents - used_cents >= p_cents
      returning jti
  )
  select coalesce(array_agg(jti), '{}') into counted from spent;
  if cardinality(counted) < cardinality(p_budgets) then
    perform refuse_budget(array(select jti from unnest(p_budgets) jti where jti <> all (counted)), p_cents);
    raise exception 'a budget of % was neither counted against nor exceeded', p_budgets;
  end if;
end $$;
