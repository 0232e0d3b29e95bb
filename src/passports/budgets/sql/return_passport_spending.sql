-- Gives back to every budget of a chain what count_passport_spending() added, and locks them in the same order.
create function return_passport_spending(p_budgets text[], p_cents bigint) returns void language sql as $$
  with chain as materialized (
    select b.jti from unnest(p_budgets) with ordinality named (jti, nth) join passport_budgets b on b.jti = named.jti
    order by named.nth for no key update of b
  )
  update passport_budgets b set used_cents = b.used_cents - p_cents from chain where b.jti = chain.jti;
$$;
