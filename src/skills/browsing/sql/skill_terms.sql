-- The search for each typed word: the word as it stands and its stem, written as two words or as one with the next, the last
-- one as a beginning where p_begins says so. A word that no skill on the market has stands for those that are spelled like it, at half the
-- weight. Words that English leaves out count only where there is no other. The words hold letters, digits and marks only, so none is an
-- operator. `skill_count` is counted to p_most; p_found has the counts of an earlier
-- search, so that its next page is weighed alike: -1 less the count for a word that was misspelt.
create function skill_terms(p_words text[], p_begins boolean, p_most int, p_found int[])
  returns table (place int, search text, likeness float8, skill_count int) language plpgsql stable as $$
declare
  only_stop_words boolean := not exists (select from unnest(p_words) word where numnode(plainto_tsquery('english', word)) > 0);
  words text[] := array(
    select lower(typed.word) from unnest(p_words) with ordinality typed (word, nth)
    where only_stop_words or numnode(plainto_tsquery('english', typed.word)) > 0 order by typed.nth);
  last_typed text := lower(p_words[cardinality(p_words)]);
  typed_word text;
  wanted tsquery;
  other tsquery;
begin
  for at in 1 .. cardinality(words) loop
    typed_word := words[at];
    wanted := to_tsquery('simple', typed_word || case when p_begins and at = cardinality(words) and typed_word = last_typed then ':*' else '' end)
      || plainto_tsquery('english', typed_word);
    for other in
      select phraseto_tsquery('english', left(typed_word, cut) || ' ' || substr(typed_word, cut + 1)) from generate_series(3, least(length(typed_word), 40) - 3) cut
      where exists (select from skill_words k where k.word = left(typed_word, cut))
        and exists (select from skill_words k where k.word = substr(typed_word, cut + 1))
      union all
      select plainto_tsquery('english', joined) from unnest(array[typed_word || words[at + 1], words[at - 1] || typed_word]) joined where joined is not null
    loop
      wanted := wanted || other;
    end loop;
    place := at;
    likeness := 1;
    -- greatest() would make 0 of a count that is not known.
    skill_count := case when p_found[at] is null then skills_found(wanted, p_most) else greatest(p_found[at], 0) end;
    if skill_count = 0 and length(typed_word) between 4 and 40 then
      likeness := 0.5;
      for other in
        select near.search from (
          select plainto_tsquery('simple', k.word) || plainto_tsquery('english', k.word) as search from skill_words k
          where k.spellings && word_spellings(typed_word)
          order by (select count(*) from unnest(k.spellings) s where s = any (word_spellings(typed_word))) desc,
            abs(length(k.word) - length(typed_word)), k.word
          limit 50
        ) near
        where skills_found(near.search, 1) > 0 limit 5
      loop
        wanted := wanted || other;
      end loop;
      skill_count := coalesce(-p_found[at] - 1, skills_found(wanted, p_most));
    end if;
    search := wanted::text;
    return next;
  end loop;
end $$;
