-- Counts cents against every budget of a chain, or refuses and counts against none. The rows are locked root first, as everywhere, so that
-- delegates of one root wait for each other and never in a circle.
create function count_passport_spending(p_budgets text[], p_cents bigint) returns void language plpgsql as $$
declare counted text[];
begin
  with chain as materialized (
    select b.jti from unnest(p_budgets) with ordinality named (jti, nth) join passport_budgets b on b.jti = named.jti
    order by named.nth for no key update of b
  ), spent as (
    update passport_budgets b set used_cents = b.used_cents + p_cents
      from chain where b.jti = chain.jti and b.amount_cents - b.used_cents >= p_cents
      returning b.jti
  )
  select coalesce(array_agg(jti), '{}') into counted from spent;
  if cardinality(counted) < cardinality(p_budgets) then
    perform refuse_budget(array(select jti from unnest(p_budgets) jti where jti <> all (counted)), p_cents);
  end if;
end $$;
