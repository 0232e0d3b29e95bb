-- Notes in which namespace of Temporal lives are kept now, and beside which copy of this database. Returns the epoch where that is another
-- store than before, otherwise null.
create function note_life_store(p_namespace text) returns int language plpgsql as $$
declare
  v_store text := p_namespace || ' ' || database_copy();
  v_epoch int;
begin
  insert into life_store (store, epoch, since) values (v_store, 1, '-infinity') on conflict (one) do nothing;
  update life_store set store = v_store, epoch = epoch + 1, since = clock_timestamp() where store <> v_store
    returning epoch into v_epoch;
  return v_epoch;
end $$;
