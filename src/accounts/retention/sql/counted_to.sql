-- Up to when the bytes of a content of an operator are counted.
create function counted_to(p_operator text, p_content text) returns timestamptz language sql stable as $$
  select coalesce((select counted_to from content_bytes where operator_id = p_operator and content = p_content), '-infinity');
$$;
