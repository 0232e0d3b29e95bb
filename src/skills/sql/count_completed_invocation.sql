-- Called once by the life of a completed invocation that was not the owner's own.
create function count_completed_invocation(p_skill text) returns void language sql as $$
  update skill_counts set invocation_count = invocation_count + 1 where skill_id = p_skill;
$$;
