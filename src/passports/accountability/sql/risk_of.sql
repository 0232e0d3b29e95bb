-- Returns what the flags of a lineage add up to.
create function risk_of(p_lineage text) returns text language sql volatile as $$
  select case when bool_or(severity = 'critical') then 'critical' when count(*) > 0 then 'flagged' else 'clean' end
  from passport_flags where lineage_id = p_lineage;
$$;
