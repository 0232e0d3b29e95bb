-- Whether somebody looks at this life right now, and so has locked its rows. Otherwise the caller has them locked: a look takes them before its row,
-- so one that came the other way round would wait for it in a circle.
create function is_looked_at(p_life text) returns boolean language sql as $$
  select (select count(*) from (select from lives where life = p_life for update skip locked) free) < (select count(*) from lives where life = p_life);
$$;
