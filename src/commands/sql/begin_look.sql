-- The first statement of every look at a life: deletes what is due of it. What a command adds while the look lasts stays, since a
-- statement deletes what it sees, and the look reads its row after it.
create function begin_look(p_life text) returns void language sql as $$
  delete from lives where life = p_life;
$$;
