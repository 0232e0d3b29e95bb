-- From now on these event types are written for an operator, of those that are not written for everybody. `p_named`: types, or
-- `<family>.*`.
create function want_event_types(p_operator text, p_named text[]) returns void language plpgsql as $$
declare
  v_wanted constant text[] := array(
    select t from unnest(optional_event_types()) t where p_named && array[t, split_part(t, '.', 1) || '.*']);
begin
  delete from wanted_event_types where operator_id = p_operator and event_type <> all (v_wanted);
  insert into wanted_event_types (operator_id, event_type) select p_operator, unnest(v_wanted) on conflict do nothing;
end $$;
