-- Takes the texts out of requests that are closed and that their operators keep no longer, p_limit at most, of the operators from `p_from` to
-- `p_to` (null: to the last) and no more than p_limit of them. `next_from` is where to go on; null: everybody was looked at.
create function purge_skill_requests(p_from text, p_to text, p_limit int, out purged int, out next_from text) language plpgsql as $$
declare v operator_retention; looked int := 0; changed int;
begin
  purged := 0;
  for v in select * from operators_to_purge('skill_requests', p_from, p_to, p_limit + 1) loop
    next_from := v.operator_id;
    if looked = p_limit then return; end if;
    looked := looked + 1;
    update skill_requests set description = 'Its operator has erased it.', desired_input_schema = null, desired_output_schema = null, tags = '{}',
        text_purged_at = clock_timestamp()
      where id in (
        select id from skill_requests
        where operator_id = v.operator_id and status <> 'open' and text_purged_at is null and updated_at < v.kept_from
        order by updated_at limit p_limit - purged for no key update);
    get diagnostics changed = row_count;
    purged := purged + changed;
    if purged >= p_limit then return; end if; -- and it may have more
  end loop;
  next_from := null;
end $$;
