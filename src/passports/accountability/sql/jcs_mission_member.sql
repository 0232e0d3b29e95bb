-- `,"mission_ref":"ms_…"` where there is one.
create function jcs_mission_member(l passport_lineages) returns text language sql stable as $$
  select case when cardinality(l.mission_ids) = 1 then ',"mission_ref":' || jcs_text(l.mission_ids[1]) else '' end;
$$;
