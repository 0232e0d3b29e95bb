-- Notes at an endpoint how a forward went, and tells the operator where that changes its share. The caller holds the row.
create function note_forward(e inbound_endpoints, p_began_at timestamptz, p_answered boolean, p_hung boolean) returns void language plpgsql as $$
declare v_share receiver_share;
begin
  v_share := share_after_call(row(e.timeouts_in_row, e.slow_since, e.held_until, null)::receiver_share, p_began_at, p_answered, p_hung);
  update inbound_endpoints set timeouts_in_row = v_share.timeouts_in_row, slow_since = v_share.slow_since, held_until = v_share.held_until
    where id = e.id;
  if v_share.change is null then return; end if;
  if v_share.change = 'recovered' then
    if is_event_wanted(e.operator_id, 'inbound.recovered') then
      perform record_service_event(e.operator_id, 'inbound.recovered', 'info', json_build_object('endpoint_id', e.id, 'agent_id', e.agent_id));
    end if;
  elsif is_event_wanted(e.operator_id, 'inbound.slow') then
    perform record_service_event(e.operator_id, 'inbound.slow', 'warning', json_build_object('endpoint_id', e.id, 'agent_id', e.agent_id,
      'places', case v_share.change when 'slow' then 1 else 0 end, 'timeouts_in_row', v_share.timeouts_in_row));
  end if;
end $$;
