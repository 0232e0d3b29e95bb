-- Whether the platform took the skill down and its owner has not asked for a review since.
create function skill_taken_down(p_skill text) returns boolean language sql stable as $$
  select review_status = 'taken_down' from skills where id = p_skill;
$$;
