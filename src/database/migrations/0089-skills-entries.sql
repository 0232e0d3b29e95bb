-- A search looks at no more than so many skills, no matter which words it has, and each order of the market is that of an index.

-- What skills on the market can be found by, in the order in which a search looks at them: where it stands, then the newest. A word of the
-- text as `search` has it, or a tag, a required input or a declared output behind a sign that no word has.
create table skill_entries (
  entry text collate "C" not null,
  place smallint not null,              -- 3 the name, 2 the description, 1 the tags, 0 another form of a word
  skill_id text not null references skills,
  primary key (entry, place, skill_id)
);

create function skill_entries_of(p_search tsvector, p_tags text[], p_inputs text[], p_outputs text[])
  returns table (entry text, place smallint) language sql immutable parallel safe as $$
  select word.lexeme,
    (case when 'A' = any (word.weights) then 3 when 'B' = any (word.weights) then 2 when 'C' = any (word.weights) then 1 else 0 end)::smallint
  from unnest(p_search) word
  union all select distinct '#' || tag, 0::smallint from unnest(p_tags) tag
  union all select '<' || input, 0::smallint from unnest(p_inputs) input
  union all select '>' || output, 0::smallint from unnest(p_outputs) output;
$$;

-- Keeps the entries of a skill, as an index would, for every release.
create function keep_skill_entries() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' then
    delete from skill_entries k using skill_entries_of(old.search, old.tags, old.input_required, old.output_declared) e
      where old.status = 'active' and k.entry = e.entry and k.place = e.place and k.skill_id = old.id;
  end if;
  insert into skill_entries (entry, place, skill_id)
    select e.entry, e.place, new.id from skill_entries_of(new.search, new.tags, new.input_required, new.output_declared) e where new.status = 'active';
  return null;
end $$;
create trigger skills_keep_entries after insert or update of status, name, description, tags, input_required, output_declared on skills
  for each row execute function keep_skill_entries();

insert into skill_entries (entry, place, skill_id)
  select e.entry, e.place, s.id from skills s, skill_entries_of(s.search, s.tags, s.input_required, s.output_declared) e where s.status = 'active';

create index skills_cheapest on skills ((-price_per_invocation) desc, id desc) where status = 'active';
-- Two decimals of a rating count, then how many gave one.
alter table skill_counts add column rating_order bigint not null generated always as (
  coalesce((rated_1 + 2 * rated_2 + 3 * rated_3 + 4 * rated_4 + 5 * rated_5) * 100::bigint
    / nullif(rated_1 + rated_2 + rated_3 + rated_4 + rated_5, 0), 0) * 10000000000
  + (rated_1 + rated_2 + rated_3 + rated_4 + rated_5)
) stored;
create index skill_counts_best_rated on skill_counts (rating_order desc, skill_id desc);
create index skill_counts_most_used on skill_counts (invocation_count desc, skill_id desc);

drop index skills_search;
drop index skills_tags;
drop index skills_input_required;
