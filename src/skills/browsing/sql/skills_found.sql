-- How many skills on the market a search finds, counted to p_most: others do not count, since a count would tell of them.
create function skills_found(p_search tsquery, p_most int) returns int language sql stable as $$
  select count(*)::int from (
    select from skills s
    where s.search @@ p_search and s.status = 'active'
      and not exists (select from operator_standings o where o.operator_id = s.operator_id and o.suspended)
    limit p_most
  ) found;
$$;
