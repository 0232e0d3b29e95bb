-- Returns the strictest mode and the shortest interval of a lineage, of every lineage that it was delegated from, and of what is given
-- besides: nothing becomes weaker within a lineage, and a child is held at least to what all above it are (decision A60). A lineage above may have
-- become stricter since the one below it was made. Written as a set of one row, so that Postgres plans it within the statement that calls it.
create function strictest_of_lineages(p_lineage text, p_accountability text, p_interval double precision)
returns table (accountability text, checkpoint_interval_seconds double precision) language sql stable as $$
  with recursive held (parent, mode, seconds) as (
    select parent_lineage_id, accountability, checkpoint_interval_seconds from passport_lineages where id = p_lineage
    union all
    select above.parent_lineage_id, above.accountability, above.checkpoint_interval_seconds
      from held join passport_lineages above on above.id = held.parent
  )
  select case
      when p_accountability = 'enforced' or bool_or(mode = 'enforced') then 'enforced'
      when p_accountability = 'logged' or bool_or(mode = 'logged') then 'logged'
      else 'standard' end,
    least(p_interval, min(seconds))
  from held;
$$;
