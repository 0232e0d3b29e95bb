-- Counts the bytes of what came for an operator since it was counted last, ten thousand contents at most, and returns whether there may be more.
-- A minute stays away: what is being written is not seen yet.
create function count_inbound_contents(p_operator text) returns boolean language plpgsql as $$
declare
  v_from constant timestamptz := counted_to(p_operator, 'inbound_contents');
  v_to constant timestamptz := clock_timestamp() - interval '1 minute';
  v_count int; v_bytes bigint; v_last timestamptz;
begin
  select count(*), sum(bytes), max(stored_at) into v_count, v_bytes, v_last from (
    select octet_length(sealed) as bytes, stored_at from inbound_contents
    where operator_id = p_operator and stored_at > v_from and stored_at <= v_to
    order by stored_at fetch first 10000 rows with ties) fresh;
  if v_count > 0 then perform count_bytes(p_operator, 'inbound_contents', v_bytes, v_last); end if;
  return v_count >= 10000;
end $$;
