-- Skills that have two words side by side, a hundred at most, of the first p_most that have each.
create function skills_with_phrase(p_one text, p_other text, p_most int) returns setof text language sql stable as $$
  select s.id from skills s
  where s.id in (
      select skill_id from (select skill_id from skill_entries where entry = p_one order by place desc, skill_id desc limit p_most) k
      intersect
      select skill_id from (select skill_id from skill_entries where entry = p_other order by place desc, skill_id desc limit p_most) k
    )
    and s.search @@ (to_tsquery('simple', p_one) <-> to_tsquery('simple', p_other))
    and not exists (select from operator_standings o where o.operator_id = s.operator_id and o.suspended)
  order by s.id desc limit 100;
$$;
