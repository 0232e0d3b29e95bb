-- The flags of a lineage raised after a moment, in order.
create function flags_json(p_lineage text, p_after timestamptz default '-infinity') returns json language sql stable as $$
  select coalesce(json_agg(flag_json(f) order by f.id), '[]') from passport_flags f where f.lineage_id = p_lineage and f.raised_at > p_after;
$$;
