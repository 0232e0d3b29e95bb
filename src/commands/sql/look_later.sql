-- A look at a life in half a minute, in place of a message: a call does what is next itself, which takes less.
create function look_later(p_life text, p_owner text) returns void language sql as $$
  insert into lives (life, owner, due_at, ready) values (p_life, p_owner, clock_timestamp() + interval '30 seconds', false);
$$;
