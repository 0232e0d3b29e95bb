-- The last statement of every look at a life that goes on: at `p_at` somebody looks again, also where its run or a message was lost. A run waits
-- for the same moment with a timer and comes first, so callers add a little to it. `infinity`: only where lives are kept in another store.
-- Null: it has ended, and nobody looks.
create function look_again(p_life text, p_owner text, p_at timestamptz) returns void language sql as $$
  insert into lives (life, owner, due_at, ready, epoch) select p_life, p_owner, p_at, false, life_epoch_now() where p_at is not null;
$$;
