-- The registry finds skills by a part of the name, by their last change and by version, and looks at none that do not fit.

-- All parts of one, two and three letters. A text with a longer part has all parts of three letters of that part.
create function skill_name_parts(p_name text) returns text[] language sql immutable strict parallel safe as $$
  select array_agg(distinct substr(lower(p_name), place, letters))
  from generate_series(1, 3) letters, generate_series(1, length(p_name) - letters + 1) place;
$$;

-- Without a condition, since Postgres uses no statistics of an index that has one, and would read all skills that have a frequent part.
create index skills_name_parts on skills using gin (skill_name_parts(name));
create index skills_updated on skills (updated_at) where status = 'active';
create index skills_version on skills (version, id desc) where status = 'active';
