-- The earliest moment of the next code after those sent at these moments: 30 s after the last, and five within the life of a code
-- (decision N2). null: immediately.
create function next_code_at(p_sent timestamptz[], p_life interval) returns timestamptz language sql immutable as $$
  select greatest(max(sent) + interval '30 seconds', (array_agg(sent order by sent desc))[5] + p_life) from unnest(p_sent) sent;
$$;
