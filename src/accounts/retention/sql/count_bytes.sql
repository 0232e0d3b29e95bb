-- Adds to the bytes that an operator keeps of a content, or takes from them what was purged of what is counted. `p_to`, where it is not null:
-- they are counted up to then.
create function count_bytes(p_operator text, p_content text, p_bytes bigint, p_to timestamptz default null) returns void language sql as $$
  insert into content_bytes as c (operator_id, content, bytes, counted_to)
    select p_operator, p_content, p_bytes, coalesce(p_to, '-infinity') where p_bytes <> 0 or p_to is not null
    on conflict (operator_id, content) do update set bytes = c.bytes + excluded.bytes, counted_to = greatest(c.counted_to, excluded.counted_to);
$$;
