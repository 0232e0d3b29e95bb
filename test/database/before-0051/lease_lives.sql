-- Leases the due messages of up to `p_limit` lives, what has the first priority first. Among those of one priority the owners take turns:
-- the first is the one behind `p_after[priority]`, whose turn was the last. A life is taken by its oldest message, which is one row, so two
-- processes never take one life in parallel. Ids are not in the order of commits: `message_ids` are exactly what was seen here. The cost grows
-- with the owners that have messages, not with their messages. The last row of a priority names whose turn was the last. A message that
-- Temporal refused waits for its hour at most, and a newer one of its life does not wait behind it.
create function lease_lives(p_kinds text[], p_limit int, p_minimum_age_ms int, p_after text[])
returns table (life text, message_ids bigint[], attempts int, priority int, owner text) language plpgsql as $$
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
      select m.owner, m.next_attempt_at into v_next, v_due_at from life_messages m
        where m.priority = v_priority and m.owner > v_owner order by m.owner, m.next_attempt_at limit 1;
      if not found then
        exit when v_around or v_start = '';
        v_around := true;
        v_owner := '';
        continue;
      end if;
      exit when v_around and v_next > v_start;
      v_owner := v_next;
      continue when v_due_at > v_now;
      -- Four times what is wanted: other processes may be leasing the first ones right now.
      v_found := array(
        select m.id from life_messages m
        where m.priority = v_priority and m.owner = v_owner and m.next_attempt_at <= v_now
          and m.created_at <= v_made_until and (m.lease_until is null or m.lease_until <= v_now)
          and split_part(m.life, ':', 1) = any(p_kinds)
          and not exists (select from life_messages older where older.life = m.life and older.id < m.id and older.refused_at is null)
        order by m.next_attempt_at limit 4 * p_limit);
      continue when v_found = '{}';
      v_owners := v_owners + 1;
      v_ids := v_ids || v_found;
      v_turns := v_turns || array(select generate_series(1, cardinality(v_found)));
    end loop;
    continue when v_ids = '{}';
    return query
      with picked as (
        select c.id, c.turn, c.place from unnest(v_ids, v_turns) with ordinality as c (id, turn, place)
      ), free as (
        select m.id, picked.turn, picked.place from life_messages m join picked on picked.id = m.id
        where m.lease_until is null or m.lease_until <= v_now
        order by picked.turn, picked.place limit v_left for update of m skip locked
      ), leased as (
        update life_messages m set lease_until = clock_timestamp() + interval '15 seconds', attempts = m.attempts + 1
        from free where m.id = free.id
        returning m.life, m.attempts, m.owner, free.turn, free.place
      )
      select leased.life, array(select one.id from life_messages one where one.life = leased.life),
        leased.attempts, v_priority, leased.owner
      from leased order by leased.turn, leased.place;
    get diagnostics v_leased = row_count;
    v_left := v_left - v_leased;
    exit when v_left = 0;
  end loop;
end $$;
