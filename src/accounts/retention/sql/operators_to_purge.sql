-- The operators from `p_from` to `p_to` (null: to the last), `p_limit` at most, each with the moment since when it keeps `p_content`; null: it
-- keeps all of it.
create function operators_to_purge(p_content text, p_from text, p_to text, p_limit int) returns setof operator_retention language sql stable as $$
  select * from operator_retention
  where content = p_content and operator_id >= p_from and operator_id <= coalesce(p_to, (select max(id) from operators))
  order by operator_id limit p_limit;
$$;
