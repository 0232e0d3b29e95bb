-- After a look without a run at a life that goes on: nobody knows whether it has a run, so it is looked at again soon, as `next_look_in` says, besides
-- when its row says. `p_looks`: how many of these looks came before. `p_wakes`: a run is woken meanwhile. `p_refused_at`: since when Temporal refuses it.
create function keep_looking(p_life text, p_looks int, p_wakes boolean, p_refused_at timestamptz) returns void language plpgsql as $$
declare v_owner text;
begin
  with kept as (
    update lives set due_at = least(due_at, clock_timestamp() + next_look_in(p_looks)),
        attempts = p_looks + 1, refused_at = p_refused_at
      where life = p_life and not ready and epoch is not null returning owner
  ) select min(owner) into v_owner from kept;
  if v_owner is not null and p_wakes then insert into lives (life, owner, due_at) values (p_life, v_owner, clock_timestamp()); end if;
end $$;
