-- Words that are spelled like one, fifty at most, the nearest first; of a spelling that very many share a thousand are compared.
create function words_like(p_word text) returns setof text language sql stable as $$
  select word from (
    select word, spellings from skill_words where spellings && word_spellings(p_word) limit 1000
  ) k
  order by (select count(*) from unnest(k.spellings) s where s = any (word_spellings(p_word))) desc, abs(length(word) - length(p_word)), word
  limit 50;
$$;
