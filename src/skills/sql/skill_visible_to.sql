-- Who may see a skill: its owner and the platform always, others while it is public and, once it was, while its owner suspends it.
-- The twin of `visibleTo` in src/skills/status.ts.
create function skill_visible_to(s skills, p_operator text) returns boolean language sql stable as $$
  select s.operator_id = p_operator or p_operator = 'op_platform' or s.status in ('active', 'unlisted')
    or (s.status = 'suspended' and s.approved_at is not null and s.review_status in ('exempt', 'approved'));
$$;
