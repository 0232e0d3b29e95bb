-- Deletes audit events older than the operator's tier keeps them (decisions B22, C8), p_limit at most, of the operators from `p_from` to `p_to`
-- (null: to the last) and no more than p_limit of them. Ids follow time, so an operator's oldest events are looked at and no others: `<=` and
-- the order are those of audit_events_of_operator read backwards, since with `=` the primary key could be walked to the first event of a quiet
-- operator. Events about money are moved to kept_audit_events. `next_from` is where to go on; null: everybody was looked at.
create function purge_audit_events(p_from text, p_to text, p_limit int, out purged int, out next_from text) language plpgsql as $$
declare
  v operator_retention;
  v_oldest timestamptz;
  looked int := 0;
  deleted int;
begin
  purged := 0;
  for v in select * from operators_to_purge('audit_events', p_from, p_to, p_limit + 1) loop
    next_from := v.operator_id;
    if looked = p_limit then return; end if;
    looked := looked + 1;
    select e.created_at into v_oldest from (
      select operator_id, created_at from audit_events where operator_id <= v.operator_id order by operator_id desc, id limit 1) e
      where e.operator_id = v.operator_id;
    if v_oldest < v.kept_from then
      with old as (
        delete from audit_events where id in (
          select id from (
            select operator_id, id, created_at from audit_events
            where operator_id <= v.operator_id order by operator_id desc, id limit p_limit - purged
          ) oldest where operator_id = v.operator_id and created_at < v.kept_from)
        returning *
      ), kept as (
        insert into kept_audit_events (id, operator_id, actor, action, target, detail, request_id, created_at)
        select id, operator_id, actor, action, target, detail, request_id, created_at from old where is_money_event(action)
      ) select count(*) into deleted from old;
      purged := purged + deleted;
      if purged >= p_limit then return; end if; -- and it may have more
    end if;
  end loop;
  next_from := null;
end $$;
