-- How many skills on the market have one of the entries: those of suspended operators do not count where there are few, so that a word that
-- they alone have counts as one that nobody has. Otherwise the most frequent entry counts, to p_most.
create function entries_found(p_entries text[], p_most int) returns int language sql stable as $$
  select case when few.rows < 10 then few.skills else (
      select max(n)::int from unnest(p_entries) e (entry)
      cross join lateral (select count(*) as n from (select from skill_entries where entry = e.entry limit p_most) k) counted
    ) end
  from (
    select count(*) as rows, count(distinct skill_id)::int as skills from (
      select k.skill_id from unnest(p_entries) e (entry)
      cross join lateral (select skill_id from skill_entries where entry = e.entry order by place desc, skill_id desc limit p_most) k
      where exists (
        select from skills s join operator_standings o on o.operator_id = s.operator_id where s.id = k.skill_id and not o.suspended)
      limit 10
    ) found
  ) few;
$$;
