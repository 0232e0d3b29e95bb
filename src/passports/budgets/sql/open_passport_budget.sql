-- Returns the budgets that a new passport counts against: those above it, and its own where it names one (`p_amount`). Its own is at most
-- what remains of each above at this moment. Nothing is set aside: what others spend meanwhile is judged when this one spends.
create function open_passport_budget(p_jti text, p_amount bigint, p_above text[]) returns text[] language plpgsql as $$
begin
  if p_amount is null then return p_above; end if;
  perform refuse_budget(p_above, p_amount);
  insert into passport_budgets (jti, amount_cents) values (p_jti, p_amount);
  return p_above || p_jti;
end $$;
