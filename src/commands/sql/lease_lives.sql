-- Leases up to `p_limit` lives that are to be delivered, what has the first priority first. Among those of one priority the owners take turns:
-- the first is the one behind `p_after[priority]`, whose turn was the last. The cost grows with the owners that have something to deliver, and
-- not with what they have. The last row of a priority names whose turn was the last. A row that is leased is due again after fifteen seconds, then
-- thirty and so on up to ten minutes: the look that it is delivered for deletes it, and until then nobody knows whether it came.
-- `trace`: that of the first command that wrote one of the rows and is traced.
create function lease_lives(p_limit int, p_minimum_age_ms int, p_after text[])
returns table (life text, ids bigint[], attempts int, priority int, owner text, trace text) language plpgsql as $$
#variable_conflict use_column
declare
  v_now constant timestamptz := clock_timestamp();
  v_made_until constant timestamptz := v_now - p_minimum_age_ms * interval '1 millisecond';
  v_left int := p_limit;
  v_start text; -- whose turn was the last: who stands behind is the first
  v_owner text;
  v_next text;
  v_due_at timestamptz;
  v_around boolean;
  v_found bigint[];
  v_owners int;
  v_ids bigint[];
  v_turns int[];
  v_leased int;
begin
  for v_priority in 1..5 loop
    v_start := coalesce(p_after[v_priority], '');
    v_owner := v_start;
    v_around := false;
    v_owners := 0;
    v_ids := '{}';
    v_turns := '{}';
    while v_owners < v_left loop
      select m.owner, m.due_at into v_next, v_due_at from lives m
        where m.ready and m.priority = v_priority and m.owner > v_owner order by m.owner, m.due_at limit 1;
      if not found then
        exit when v_around or v_start = '';
        v_around := true;
        v_owner := '';
        continue;
      end if;
      exit when v_around and v_next > v_start;
      v_owner := v_next;
      continue when v_due_at > v_now;
      -- Four times what is wanted: other processes may be leasing the first ones right now, and a life may have several.
      v_found := array(
        select m.id from lives m
        where m.ready and m.priority = v_priority and m.owner = v_owner and m.due_at <= v_now
          and m.created_at <= v_made_until and (m.lease_until is null or m.lease_until <= v_now)
        order by m.due_at limit 4 * p_limit);
      continue when v_found = '{}';
      v_owners := v_owners + 1;
      v_ids := v_ids || v_found;
      v_turns := v_turns || array(select generate_series(1, cardinality(v_found)));
    end loop;
    continue when v_ids = '{}';
    -- By arrays: a join would be planned by how many rows were ready when the table was analysed last.
    return query
      with free as materialized (
        select m.id, m.life from lives m where m.id = any(v_ids) and m.ready for update skip locked
      ), chosen as materialized (
        select free.life, min(picked.turn) as turn, min(picked.place) as place
        from free join unnest(v_ids, v_turns) with ordinality as picked (id, turn, place) on picked.id = free.id
        group by free.life order by 2, 3 limit v_left
      ), all_of_them as materialized (
        select m.id from lives m where m.life = any(array(select chosen.life from chosen)) and m.ready and m.due_at <= v_now
        for update skip locked
      ), leased as (
        update lives m set ready = false, lease_until = null, failure = null, attempts = m.attempts + 1,
            due_at = clock_timestamp() + least(15 * power(2, least(m.attempts, 6)), 600) * interval '1 second'
        where m.id = any(array(select all_of_them.id from all_of_them))
        returning m.id, m.life, m.attempts, m.owner, m.trace
      )
      select leased.life, array_agg(leased.id), max(leased.attempts), v_priority, min(leased.owner),
        (array_agg(leased.trace order by leased.id) filter (where leased.trace is not null))[1]
      from leased join chosen on chosen.life = leased.life group by leased.life, chosen.turn, chosen.place order by chosen.turn, chosen.place;
    get diagnostics v_leased = row_count;
    v_left := v_left - v_leased;
    exit when v_left = 0;
  end loop;
end $$;
