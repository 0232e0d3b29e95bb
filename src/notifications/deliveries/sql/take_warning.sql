-- Whether a mail may warn that a destination keeps failing, and counts it: three a day.
create function take_warning(p_destination text) returns boolean language plpgsql as $$
declare v_day constant timestamptz := clock_timestamp() - interval '24 hours';
begin
  update destinations set warned_at = array(select at from unnest(warned_at) at where at > v_day) || clock_timestamp()
    where id = p_destination and (select count(*) from unnest(warned_at) at where at > v_day) < 3;
  return found;
end $$;
