-- Meters an action of a lineage, which names the operator; a trigger calls it (0008-passports.sql).
create function meter_lineage(p_lineage text, p_action text) returns void language plpgsql as $$
begin
  perform meter_action((select operator_id from passport_lineages where id = p_lineage), p_action);
end $$;
