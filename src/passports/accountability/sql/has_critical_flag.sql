-- Whether a critical flag was raised in a lineage.
create function has_critical_flag(p_lineage text) returns boolean language sql stable as $$
  select exists (select from passport_flags where lineage_id = p_lineage and severity = 'critical');
$$;
