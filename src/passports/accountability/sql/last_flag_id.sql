-- The newest flag of a lineage; 0: none.
create function last_flag_id(p_lineage text) returns bigint language sql stable as $$
  select coalesce(max(id), 0) from passport_flags where lineage_id = p_lineage;
$$;
