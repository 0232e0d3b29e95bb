-- How many people work for an operator.
create function count_members(p_operator text) returns int language sql stable as $$
  select count(*)::int from members where operator_id = p_operator;
$$;
