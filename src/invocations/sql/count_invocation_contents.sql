-- Counts the bytes of input and output of what ended for a consumer since it was counted last, ten thousand invocations at most, and returns
-- whether there may be more. A minute stays away: what is being written is not seen yet.
create function count_invocation_contents(p_operator text) returns boolean language plpgsql as $$
declare
  v_from constant timestamptz := counted_to(p_operator, 'invocation_contents');
  v_to constant timestamptz := clock_timestamp() - interval '1 minute';
  v_count int; v_bytes bigint; v_last timestamptz;
begin
  select count(*), sum(bytes), max(completed_at) into v_count, v_bytes, v_last from (
    select octet_length(input) + coalesce(octet_length(output), 0) as bytes, completed_at from invocations
    where consumer_operator_id = p_operator and contents_purged_at is null and completed_at > v_from and completed_at <= v_to
    order by completed_at fetch first 10000 rows with ties) fresh;
  if v_count > 0 then perform count_bytes(p_operator, 'invocation_contents', v_bytes, v_last); end if;
  return v_count >= 10000;
end $$;
