-- The search of the market finds any word, in tags too, and words that are misspelt.

-- The words of tags, as `search_words` has those of a text.
create function search_tags(p_tags text[]) returns text language sql immutable strict parallel safe as $$
  select search_words(array_to_string(p_tags, ' '));
$$;

-- A word, and the word with each one of its letters left out. Two words that differ by one letter, left out, added, changed or exchanged
-- with its neighbour, have one of these in common.
create function word_spellings(p_word text) returns text[] language sql immutable strict parallel safe as $$
  select array_agg(distinct left(p_word, place - 1) || substr(p_word, place + 1)) || p_word
  from generate_series(1, length(p_word)) place;
$$;

-- Every word that a skill has, or had: where a search finds none, it takes those that are spelled like it. No extension of Postgres is needed.
create table skill_words (
  word text primary key,
  spellings text[] not null generated always as (word_spellings(word)) stored
);
create index skill_words_spellings on skill_words using gin (spellings);

insert into skill_words (word)
  select distinct lower(word)
  from skills, regexp_split_to_table(search_words(name || ' ' || description) || ' ' || search_tags(tags), '\s+') word
  where length(word) between 3 and 40;

-- The tags come after the description in the ranking. The last of all, since it writes the whole table.
alter table skills alter column search set expression as (
  setweight(to_tsvector('simple', search_words(name)), 'A')
  || setweight(to_tsvector('english', search_words(description)), 'B')
  || setweight(to_tsvector('simple', search_words(description)), 'D')
  || setweight(to_tsvector('english', search_tags(tags)), 'C')
);
