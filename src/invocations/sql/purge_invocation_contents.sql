-- Takes input and output out of invocations that ended longer ago than the tier of their consumer keeps them, with what failed scripts
-- printed (decision B22), p_limit at most, of the consumers from `p_from` to `p_to` (null: to the last) and no more than p_limit of them.
-- Hashes, statuses and money stay. What ended since it was counted is counted first. `next_from` is where to go on; null: everybody was looked at.
create function purge_invocation_contents(p_from text, p_to text, p_limit int, out purged int, out next_from text) language plpgsql as $$
declare v operator_retention; looked int := 0; v_ids text[]; freed bigint; v_counted timestamptz;
begin
  purged := 0;
  for v in select * from operators_to_purge('invocation_contents', p_from, p_to, p_limit + 1) loop
    next_from := v.operator_id;
    if looked = p_limit then return; end if;
    looked := looked + 1;
    if count_invocation_contents(v.operator_id) then return; end if;
    v_counted := counted_to(v.operator_id, v.content);
    select array_agg(old.id), coalesce(sum(old.bytes) filter (where old.completed_at <= v_counted), 0) into v_ids, freed from (
      select i.id, i.completed_at, octet_length(i.input) + coalesce(octet_length(i.output), 0) as bytes from invocations i
      where i.consumer_operator_id = v.operator_id and i.contents_purged_at is null and i.completed_at < v.kept_from
      order by i.completed_at limit p_limit - purged for no key update) old;
    if v_ids is not null then
      update invocations set input = 'null', output = case when output is not null then 'null' end, contents_purged_at = clock_timestamp()
        where id = any(v_ids);
      update sealed_steps set console = null where invocation_id = any(v_ids) and console is not null;
      perform count_bytes(v.operator_id, v.content, -freed);
      purged := purged + cardinality(v_ids);
      if purged >= p_limit then return; end if; -- and it may have more
    end if;
  end loop;
  next_from := null;
end $$;
