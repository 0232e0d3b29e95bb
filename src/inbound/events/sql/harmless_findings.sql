-- Which findings of an event are marked as harmless, counted from 0.
create function harmless_findings(p_findings jsonb, p_marks jsonb) returns int[] language sql immutable as $$
  select coalesce(array_agg(n::int - 1 order by n), '{}') from jsonb_array_elements(p_findings) with ordinality as x(finding, n)
  where p_marks @> jsonb_build_array(mark_of_finding(x.finding));
$$;
