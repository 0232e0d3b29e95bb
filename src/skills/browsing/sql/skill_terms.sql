-- The search for each typed word: the word as it stands and its stem, written as two words or as one with the next, the last
-- one as a beginning where p_begins says so. A word that no skill on the market has stands for those that are spelled like it, at half the
-- weight. Words that English leaves out count only where there is no other. The words hold letters, digits and marks only, so none is an
-- operator. Skills are found by `entries`, and `skills` has those that write it as two words. `skill_count` is counted to p_most; p_found has
-- the counts of an earlier search, so that its next page is weighed alike: -1 less the count for a word that was misspelt.
create function skill_terms(p_words text[], p_begins boolean, p_most int, p_found int[])
  returns table (place int, search text, entries text[], skills text[], likeness float8, skill_count int) language plpgsql stable as $$
declare
  only_stop_words boolean := not exists (select from unnest(p_words) word where numnode(plainto_tsquery('english', word)) > 0);
  words text[] := array(
    select lower(typed.word) from unnest(p_words) with ordinality typed (word, nth)
    where only_stop_words or numnode(plainto_tsquery('english', typed.word)) > 0 order by typed.nth);
  last_typed text := lower(p_words[cardinality(p_words)]);
  typed_word text;
  wanted tsquery;
  stems text[];
  near text;
  near_entries text[];
  near_found int := 0;
begin
  for at in 1 .. cardinality(words) loop
    typed_word := words[at];
    wanted := to_tsquery('simple', typed_word) || plainto_tsquery('english', typed_word);
    entries := tsvector_to_array(to_tsvector('simple', typed_word) || to_tsvector('english', typed_word));
    skills := '{}';
    for near in select joined from unnest(array[typed_word || words[at + 1], words[at - 1] || typed_word]) joined where joined is not null
    loop
      wanted := wanted || plainto_tsquery('english', near);
      entries := entries || tsvector_to_array(to_tsvector('english', near));
    end loop;
    for stems in
      select tsvector_to_array(to_tsvector('english', left(typed_word, cut))) || tsvector_to_array(to_tsvector('english', substr(typed_word, cut + 1)))
      from generate_series(3, least(length(typed_word), 40) - 3) cut
      where exists (select from skill_words k where k.word = left(typed_word, cut))
        and exists (select from skill_words k where k.word = substr(typed_word, cut + 1))
    loop
      continue when cardinality(stems) <> 2;
      wanted := wanted || (to_tsquery('simple', stems[1]) <-> to_tsquery('simple', stems[2]));
      skills := skills || array(select skills_with_phrase(stems[1], stems[2], p_most));
    end loop;
    if p_begins and at = cardinality(words) and typed_word = last_typed then
      wanted := wanted || to_tsquery('simple', typed_word || ':*');
      entries := entries || array(select words_beginning(typed_word));
    end if;
    likeness := 1;
    -- greatest() would make 0 of a count that is not known.
    skill_count := case when p_found[at] is null then entries_found(entries, p_most) + cardinality(skills) else greatest(p_found[at], 0) end;
    if skill_count = 0 and length(typed_word) between 4 and 40 then
      likeness := 0.5;
      near_found := 0;
      for near in select words_like(typed_word) loop
        near_entries := tsvector_to_array(to_tsvector('simple', near) || to_tsvector('english', near));
        continue when entries_found(near_entries, p_most) = 0;
        wanted := wanted || plainto_tsquery('simple', near) || plainto_tsquery('english', near);
        entries := entries || near_entries;
        near_found := near_found + 1;
        exit when near_found = 5;
      end loop;
      skill_count := coalesce(-p_found[at] - 1, entries_found(entries, p_most));
    end if;
    place := at;
    entries := array(select distinct unnest(entries));
    search := wanted::text;
    return next;
  end loop;
end $$;
