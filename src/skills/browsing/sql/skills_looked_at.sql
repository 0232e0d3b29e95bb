-- The skills on the market that a search looks at, p_most of them. An entry belongs to a term, the rarest term first; of a term come first the
-- skills that have more of its entries, then by the place of the entry, then the newest. Of one entry p_most are read, where a term has more
-- than four of them fewer.
create function skills_looked_at(p_entries text[], p_terms int[], p_most int) returns setof text language sql stable rows 1000 as $$
  select k.skill_id
  from (select entry, term, count(*) over (partition by term) as entries from unnest(p_entries, p_terms) given (entry, term)) e
  cross join lateral (
    select skill_id, place from skill_entries where entry = e.entry order by place desc, skill_id desc limit p_most * 4 / greatest(4, e.entries)
  ) k
  group by k.skill_id
  order by min(e.term), count(*) desc, max(k.place) desc, k.skill_id desc
  limit p_most;
$$;
