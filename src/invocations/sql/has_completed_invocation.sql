-- Whether an operator has a completed invocation of a skill, the given one or any: what makes a rating verified
-- (decision K18).
create function has_completed_invocation(p_consumer text, p_skill text, p_invocation text default null) returns boolean
language sql stable as $$
  select exists (
    select from invocations
    where consumer_operator_id = p_consumer and skill_id = p_skill and status = 'completed' and not self_invocation
      and (p_invocation is null or id = p_invocation));
$$;
