-- Takes a model call by the seller's key out of what the seller allows the skill in a UTC month: one call, and the most that it can cost by the
-- price list. Returns the month, for `end_seller_call`. A usage counter, so it comes before wallets (rule 12). Refuses where it does not
-- fit, and then nothing is taken.
create function begin_seller_call(p_skill text, p_limit jsonb, p_most_cost_microcents bigint) returns date language plpgsql as $$
declare v_month constant date := utc_month(clock_timestamp());
begin
  insert into seller_credential_use (skill_id, month) values (p_skill, v_month) on conflict do nothing;
  perform from seller_credential_use where skill_id = p_skill and month = v_month for no key update;
  perform refuse_seller_limit(p_skill, p_limit, 1, p_most_cost_microcents);
  update seller_credential_use set calls = calls + 1, cost_microcents = cost_microcents + p_most_cost_microcents
    where skill_id = p_skill and month = v_month;
  return v_month;
end $$;
