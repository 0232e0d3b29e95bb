-- Redelivers what was not delivered to a destination: of each event that has a delivery of one of these statuses in this time, unless a later
-- one was made. As many as may wait, `p_limit` at most, the oldest first. `p_first` and `p_end`: ids between which those of that time lie.
-- The time ends with the call at the latest: what is made here is not in it, so another call up to the `until` that is returned leaves it out.
create function recover_deliveries(
  p_destination text, p_first text, p_end text, p_since timestamptz, p_until timestamptz, p_statuses text[], p_limit int
) returns recovered_deliveries language plpgsql as $$
declare
  v_room int; v_found text[];
  -- As it is written in the answer.
  v_until constant timestamptz := least(p_until, date_trunc('milliseconds', clock_timestamp()));
begin
  v_room := least(p_limit, 1000 - count_waiting_deliveries(p_destination));
  v_found := array(
    select x.id from deliveries x
    where x.destination_id = p_destination and x.id >= p_first and x.id < p_end and x.created_at >= p_since and x.created_at < v_until
      and x.status = any(p_statuses)
      and not exists (select from deliveries y where y.event_id = x.event_id and y.destination_id = x.destination_id and y.ordinal > x.ordinal)
    order by x.id limit v_room + 1);
  perform redeliver(new_prefixed_id('dlv'), id) from unnest(v_found[:v_room]) as found (id);
  return row(least(cardinality(v_found), v_room), cardinality(v_found) > v_room, iso_time(v_until))::recovered_deliveries;
end $$;
