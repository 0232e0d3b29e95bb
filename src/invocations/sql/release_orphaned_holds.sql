-- Releases holds that no open invocation needs. That is a fault wherever it is found, so open holds are looked at in turn, 200 a
-- call, and from the beginning again after the last.
create function release_orphaned_holds() returns int language plpgsql as $$
declare
  v_before timestamptz := clock_timestamp() - interval '1 minute';
  v_walk hold_walk;
  v_last hold_walk;
  v_looked int;
  v_orphans text[];
  v_cause text;
  v_released int := 0;
begin
  select * into strict v_walk from hold_walk for no key update;
  with looked as materialized (
    select o.cause, o.created_at from open_holds o
    where (o.created_at, o.cause) > (v_walk.created_at, v_walk.cause) and o.created_at < v_before
    order by o.created_at, o.cause limit 200
  )
  select count(*), array_agg(l.cause) filter (where l.cause like 'inv\_%' and i.id is null),
      (array_agg(l.created_at order by l.created_at desc, l.cause desc))[1], (array_agg(l.cause order by l.created_at desc, l.cause desc))[1]
    into v_looked, v_orphans, v_last.created_at, v_last.cause
    from looked l left join invocations i on i.id = l.cause and i.status in ('pending', 'processing');
  foreach v_cause in array coalesce(v_orphans, '{}') loop
    if release_hold(v_cause) then v_released := v_released + 1; end if;
  end loop;
  if v_looked < 200 then v_last.created_at := '-infinity'; v_last.cause := ''; end if;
  update hold_walk set created_at = v_last.created_at, cause = v_last.cause
    where (created_at, cause) is distinct from (v_last.created_at, v_last.cause);
  return v_released;
end $$;
