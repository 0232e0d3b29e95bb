-- Marks a finding of an event as harmless, counted from 0, and counts it once. The caller holds the row.
create function mark_inbound_harmless(p_event text, p_finding int) returns void language plpgsql as $$
declare v inbound_events; v_mark jsonb;
begin
  select * into strict v from inbound_events where id = p_event;
  v_mark := mark_of_finding(v.findings -> p_finding);
  if v.harmless @> jsonb_build_array(v_mark) then return; end if;
  update inbound_events set harmless = harmless || v_mark where id = p_event;
  update inbound_counters set marked_harmless = marked_harmless + 1 where endpoint_id = v.endpoint_id;
end $$;
