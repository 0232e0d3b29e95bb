-- Everything that an operator keeps until now, to the millisecond that callers are shown, is to be purged. What is under way since an earlier
-- request is a part of that.
create function begin_erasure(p_operator text) returns setof content_erasures language sql as $$
  insert into content_erasures (operator_id, kept_from) values (p_operator, date_trunc('milliseconds', clock_timestamp()) + interval '1 ms')
    on conflict (operator_id) do update set kept_from = excluded.kept_from, purged_at = null
    returning *;
$$;
