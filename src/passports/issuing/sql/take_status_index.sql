-- The next bit of a day's status list. The day begins with a number of the sequence, so every number taken once it is known
-- is a later one; who comes first in a day is waited for.
create function take_status_index(p_day date) returns int language plpgsql as $$
declare v_first bigint;
begin
  select first into v_first from passport_status_days where day = p_day;
  if not found then
    insert into passport_status_days (day, first) values (p_day, nextval('passport_status_numbers')) on conflict (day) do nothing;
    select first into strict v_first from passport_status_days where day = p_day;
  end if;
  return nextval('passport_status_numbers') - v_first;
end $$;
