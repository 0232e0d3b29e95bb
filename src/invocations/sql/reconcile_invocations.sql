-- Rows whose life seems to be missing are woken, rows long past their deadline expired, holds that nothing open needs
-- released (rule 11). Bounded, and rows that a command holds are left for the next round.
create function reconcile_invocations(out woken int, out expired text[], out released int) language plpgsql as $$
declare i invocations; orphan text;
begin
  expired := '{}'; released := 0;
  for i in select * from invocations
    where status in ('pending', 'processing') and expires_at < clock_timestamp() - interval '30 seconds'
    order by expires_at limit 100 for no key update skip locked
  loop
    perform expire_invocation(i);
    perform wake_life('invocation:' || i.id);
    expired := expired || i.id;
  end loop;
  woken := wake_lives(array(
    select 'invocation:' || o.id from invocations o
    where o.status in ('pending', 'processing')
      and ((o.life_seen_at is null and o.created_at < clock_timestamp() - interval '10 seconds')
        or o.lease_until < clock_timestamp() - interval '1 minute')
      and not exists (select from life_messages m where m.life = 'invocation:' || o.id)
    limit 100));
  for orphan in select h.cause from open_holds h
    where h.cause like 'inv\_%' and h.created_at < clock_timestamp() - interval '1 minute'
      and not exists (select from invocations where id = h.cause and status in ('pending', 'processing'))
    order by h.created_at limit 100
  loop
    if release_hold(orphan) then released := released + 1; end if;
  end loop;
end $$;
