-- Notes at a destination how a call to it went, and tells the operator where that changes its share. The caller holds the row.
create function note_call(d destinations, p_began_at timestamptz, p_answered boolean, p_hung boolean) returns void language plpgsql as $$
declare v_share receiver_share;
begin
  v_share := share_after_call(row(d.timeouts_in_row, d.slow_since, d.held_until, null)::receiver_share, p_began_at, p_answered, p_hung);
  update destinations set timeouts_in_row = v_share.timeouts_in_row, slow_since = v_share.slow_since, held_until = v_share.held_until
    where id = d.id;
  if v_share.change is null then return; end if;
  if v_share.change = 'recovered' then
    if is_event_wanted(d.operator_id, 'destination.recovered') then
      perform record_service_event(d.operator_id, 'destination.recovered', 'info', json_build_object('destination_id', d.id));
    end if;
  elsif is_event_wanted(d.operator_id, 'destination.slow') then
    perform record_service_event(d.operator_id, 'destination.slow', 'warning', json_build_object('destination_id', d.id,
      'places', case v_share.change when 'slow' then 1 else 0 end, 'timeouts_in_row', v_share.timeouts_in_row));
  end if;
end $$;
