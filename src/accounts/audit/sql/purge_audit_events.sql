-- Deletes audit events older than the operator's tier keeps them (decisions B22, C8), p_limit at most, of operators after `p_after` and no
-- more than p_limit of them. Ids follow time, so an operator's oldest events are looked at and no others: `<=` and the order are those of
-- audit_events_of_operator read backwards, since with `=` the primary key could be walked to the first event of a quiet operator.
-- `next_after` is where to go on; null: everybody was looked at.
create function purge_audit_events(p_after text, p_limit int, out purged int, out next_after text) language plpgsql as $$
declare
  v_operator text;
  v_kept_from timestamptz;
  v_oldest timestamptz;
  looked int := 0;
  deleted int;
begin
  purged := 0;
  next_after := p_after;
  for v_operator, v_kept_from, v_oldest in
    select op.id, clock_timestamp() - t.audit_retention,
      (select case e.operator_id when op.id then e.created_at end from audit_events e
        where e.operator_id <= op.id order by e.operator_id desc, e.id limit 1)
    from operators op join tiers t on t.name = op.tier
    where op.id > p_after order by op.id limit p_limit
  loop
    if v_oldest < v_kept_from then
      delete from audit_events where id in (
        select id from (
          select operator_id, id, created_at from audit_events
          where operator_id <= v_operator order by operator_id desc, id limit p_limit - purged
        ) oldest where operator_id = v_operator and created_at < v_kept_from);
      get diagnostics deleted = row_count;
      purged := purged + deleted;
      if purged >= p_limit then return; end if; -- and it may have more
    end if;
    next_after := v_operator;
    looked := looked + 1;
  end loop;
  if looked < p_limit then next_after := null; end if;
end $$;
