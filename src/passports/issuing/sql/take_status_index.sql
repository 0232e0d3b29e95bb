-- A bit of a day's status list that nobody has. The day begins with a number of the sequence, so every number taken once it is known
-- is a later one; who comes first in a day is waited for.
create function take_status_index(p_day date) returns int language plpgsql as $$
declare v_day passport_status_days;
begin
  select * into v_day from passport_status_days where day = p_day;
  if not found then
    insert into passport_status_days (day, first) values (p_day, nextval('passport_status_numbers')) on conflict (day) do nothing;
    select * into strict v_day from passport_status_days where day = p_day;
  end if;
  return status_index_of(nextval('passport_status_numbers') - v_day.first, v_day.key);
end $$;
