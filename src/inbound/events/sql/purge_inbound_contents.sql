-- Deletes contents of events that are older than the operator's tier keeps them (decision B22), p_limit at most, of operators after `p_after`
-- and no more than p_limit of them; hashes and verdicts stay with the event. `next_after` is where to go on; null: everybody was looked at.
create function purge_inbound_contents(p_after text, p_limit int, out purged int, out next_after text) language plpgsql as $$
declare v_operator text; v_kept_from timestamptz; looked int := 0; deleted int;
begin
  purged := 0;
  next_after := p_after;
  for v_operator, v_kept_from in
    select t.operator_id, clock_timestamp() - t.audit_retention from operator_tiers t
    where t.operator_id > p_after order by t.operator_id limit p_limit
  loop
    delete from inbound_contents where event_id in (
      select event_id from inbound_contents where operator_id = v_operator and stored_at < v_kept_from order by stored_at limit p_limit - purged);
    get diagnostics deleted = row_count;
    purged := purged + deleted;
    if purged >= p_limit then return; end if; -- and it may have more
    next_after := v_operator;
    looked := looked + 1;
  end loop;
  if looked < p_limit then next_after := null; end if;
end $$;
