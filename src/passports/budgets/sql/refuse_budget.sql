-- Refuses cents that are more than remains of one of these budgets, and names the one of which least remains.
create function refuse_budget(p_budgets text[], p_cents bigint) returns void language plpgsql as $$
declare b passport_budgets;
begin
  select * into b from passport_budgets where jti = any (p_budgets) and amount_cents - used_cents < p_cents
    order by amount_cents - used_cents, jti limit 1;
  if not found then return; end if;
  perform refuse('PASSPORT_BUDGET_EXCEEDED',
    format('The budget of the passport %s is %s cents, of which %s remain; this needs %s.', b.jti, b.amount_cents, b.amount_cents - b.used_cents, p_cents),
    json_build_object('jti', b.jti, 'amount_cents', b.amount_cents, 'remaining_cents', b.amount_cents - b.used_cents, 'required_cents', p_cents));
end $$;
