-- The first ten longer words on the market that begin so.
create function words_beginning(p_beginning text) returns setof text language sql stable as $$
  with recursive known as (
    (select entry, 1 as nth from skill_entries
      where entry > p_beginning collate "C" and entry < (p_beginning || U&'\+10FFFF') collate "C" order by entry limit 1)
    union all
    select next.entry, known.nth + 1 from known cross join lateral (
      select k.entry from skill_entries k
      where k.entry > known.entry and k.entry < (p_beginning || U&'\+10FFFF') collate "C" order by k.entry limit 1
    ) next where known.nth < 10
  )
  select entry from known;
$$;
