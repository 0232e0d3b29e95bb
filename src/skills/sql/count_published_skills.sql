-- Skills of an operator that can be invoked, listed or not (decision B17).
create function count_published_skills(p_operator text) returns bigint language sql stable as $$
  select count(*) from skills where operator_id = p_operator and status in ('active', 'unlisted');
$$;
