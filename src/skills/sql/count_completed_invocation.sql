-- Called once by the life of a completed invocation that was not the owner's own. A rating that its consumer gave before is verified from now on;
-- the row of counts is locked first, as raters do.
create function count_completed_invocation(p_skill text, p_consumer text) returns void language sql as $$
  update skill_counts set invocation_count = invocation_count + 1 where skill_id = p_skill;
  with verified as (
    update skill_ratings set verified = true where skill_id = p_skill and operator_id = p_consumer and not verified returning 1
  )
  update skill_counts set verified_count = verified_count + 1 where skill_id = p_skill and exists (select from verified);
$$;
