-- Keeps the words of a skill for searches that misspell them, also when the skill is gone. They are inserted in order:
-- two skills with the same words would wait for each other otherwise.
create function note_skill_words(p_skill text) returns void language sql as $$
  insert into skill_words (word)
    select distinct lower(word)
    from skills s, regexp_split_to_table(search_words(s.name || ' ' || s.description) || ' ' || search_tags(s.tags), '\s+') word
    where s.id = p_skill and length(word) between 3 and 40
      and not exists (select from skill_words known where known.word = lower(word.word))
    order by 1
  on conflict do nothing;
$$;
