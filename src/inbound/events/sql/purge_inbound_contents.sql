-- Deletes contents of events that are older than the operator's tier keeps them (decision B22), p_limit at most, of the operators from `p_from`
-- to `p_to` (null: to the last) and no more than p_limit of them; hashes and verdicts stay with the event. What came since they were counted is
-- counted first. `next_from` is where to go on; null: everybody was looked at.
create function purge_inbound_contents(p_from text, p_to text, p_limit int, out purged int, out next_from text) language plpgsql as $$
declare v operator_retention; looked int := 0; deleted int; freed bigint; v_counted timestamptz;
begin
  purged := 0;
  for v in select * from operators_to_purge('inbound_contents', p_from, p_to, p_limit + 1) loop
    next_from := v.operator_id;
    if looked = p_limit then return; end if;
    looked := looked + 1;
    if count_inbound_contents(v.operator_id) then return; end if;
    v_counted := counted_to(v.operator_id, v.content);
    with old as (
      delete from inbound_contents where event_id in (
        select event_id from inbound_contents where operator_id = v.operator_id and stored_at < v.kept_from order by stored_at limit p_limit - purged)
      returning stored_at, octet_length(sealed) as bytes
    ) select count(*), coalesce(sum(bytes) filter (where stored_at <= v_counted), 0) into deleted, freed from old;
    perform count_bytes(v.operator_id, v.content, -freed);
    purged := purged + deleted;
    if purged >= p_limit then return; end if; -- and it may have more
  end loop;
  next_from := null;
end $$;
