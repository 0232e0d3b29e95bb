-- Releases holds that no open invocation needs. That is a fault wherever it is found, so open holds are looked at in turn, 200 a
-- call (3 ms), and from the beginning again after the last.
create function release_orphaned_holds() returns int language plpgsql as $$
declare h open_holds; v_walk hold_walk; v_looked int := 0; v_released int := 0;
  v_before timestamptz := clock_timestamp() - interval '1 minute';
begin
  select * into strict v_walk from hold_walk for no key update;
  for h in select o.cause, o.created_at from open_holds o
    where (o.created_at, o.cause) > (v_walk.created_at, v_walk.cause) and o.created_at < v_before
    order by o.created_at, o.cause limit 200
  loop
    v_looked := v_looked + 1;
    v_walk.created_at := h.created_at; v_walk.cause := h.cause;
    if h.cause like 'inv\_%' and not exists (select from invocations where id = h.cause and status in ('pending', 'processing')) then
      if release_hold(h.cause) then v_released := v_released + 1; end if;
    end if;
  end loop;
  if v_looked < 200 then v_walk.created_at := '-infinity'; v_walk.cause := ''; end if;
  update hold_walk set created_at = v_walk.created_at, cause = v_walk.cause
    where (created_at, cause) is distinct from (v_walk.created_at, v_walk.cause);
  return v_released;
end $$;
