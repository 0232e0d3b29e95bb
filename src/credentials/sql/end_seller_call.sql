-- Gives back what a call that `begin_seller_call` took has not cost: `p_cost_microcents` is what it did by the price list, 0 where nothing was
-- computed. Null: nobody knows, and it stays at the most that it can have cost, since it is the seller's money. The call itself counts regardless of the outcome
-- where it was made (`p_made`): who invokes could use up the calls of a month by input that no model is given. The caller guards against
-- ending it twice.
create function end_seller_call(p_skill text, p_month date, p_most_cost_microcents bigint, p_cost_microcents bigint, p_made boolean) returns void
language sql as $$
  update seller_credential_use
    set calls = calls - (not p_made)::int,
      cost_microcents = cost_microcents - p_most_cost_microcents + least(p_cost_microcents, p_most_cost_microcents)
    where skill_id = p_skill and month = p_month and p_cost_microcents is not null;
$$;
