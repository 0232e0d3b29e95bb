-- Notes that nothing is left of what an operator kept until `p_kept_from`, unless it has requested another erasure since.
create function end_erasure(p_operator text, p_kept_from timestamptz) returns void language sql as $$
  update content_erasures set purged_at = clock_timestamp()
    where operator_id = p_operator and kept_from = p_kept_from and purged_at is null;
$$;
