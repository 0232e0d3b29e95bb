-- Where a page of p_most sources ends in the stream of a meter, from p_from on: where the next source begins, or p_to. No charge of the page reaches beyond
-- it, so its share is the same as in the whole debit.
create function end_of_sources(p_wallet text, p_meter text, p_from bigint, p_to bigint, p_most int) returns bigint language sql stable as $$
  select coalesce((
    select begins_microcents from (
      (select begins_microcents from calls_of_debit(p_wallet, p_meter, p_from, p_to) order by 1 limit p_most + 1)
      union all
      (select begins_microcents from runs_of_debit(p_wallet, p_meter, p_from, p_to) order by 1 limit p_most + 1)) sources
    order by 1 offset p_most limit 1), p_to);
$$;
