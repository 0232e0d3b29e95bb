-- These lineages, and every lineage that was delegated from them over any number of hops.
create function lineages_below(p_lineages text[]) returns text[] language sql stable as $$
  with recursive taken (id) as (
    select unnest(p_lineages)
    union
    select child.id from passport_lineages child join taken on child.parent_lineage_id = taken.id
  ) select coalesce(array_agg(id), '{}') from taken;
$$;
