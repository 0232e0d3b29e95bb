-- Which charges overlap the microcents from p_from to p_to in the stream of a meter: of those that begin before it only the last can reach
-- into it, so the index gives the range from that one on.
create function calls_of_debit(p_wallet text, p_meter text, p_from bigint, p_to bigint) returns setof model_calls language sql stable as $$
  select c.* from model_calls c
  where c.operator_id = p_wallet and c.meter = p_meter and c.begins_microcents < p_to and c.begins_microcents + c.microcents > p_from
    and c.begins_microcents >= coalesce((select max(b.begins_microcents) from model_calls b
      where b.operator_id = p_wallet and b.meter = p_meter and b.begins_microcents <= p_from), 0);
$$;
