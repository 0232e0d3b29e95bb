-- Notes in which namespace of Temporal lives are kept now, and beside which copy of this database: a restored one has another system
-- identifier, timeline or oid, and one that was restored in place a row that another transaction wrote. Returns the epoch where that is
-- another store than before, otherwise null. Waking every open row now and then would need no such row, and costs Temporal a task
-- for each open row each time.
create function note_life_store(p_namespace text) returns int language plpgsql as $$
declare
  v_store text := p_namespace || ' ' || database_copy();
  v_epoch int;
begin
  if not exists (select from life_store) then
    insert into life_store (store, written_by, epoch, since) values (v_store, pg_current_xact_id()::xid, 1, '-infinity')
      on conflict (one) do nothing;
  end if;
  update life_store set store = v_store, written_by = pg_current_xact_id()::xid, epoch = epoch + 1, since = clock_timestamp(),
      open_lives = (select count(*) from lives where not ready)
    where store <> v_store or written_by <> xmin
    returning epoch into v_epoch;
  return v_epoch;
end $$;
