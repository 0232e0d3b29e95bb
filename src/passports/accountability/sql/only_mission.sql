-- The mission of a claim: the passport's only one, as with charges.
create function only_mission(l passport_lineages) returns text language sql stable as $$
  select case when cardinality(l.mission_ids) = 1 then l.mission_ids[1] end;
$$;
