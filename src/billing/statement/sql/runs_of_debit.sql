-- The same of machine runs.
create function runs_of_debit(p_wallet text, p_meter text, p_from bigint, p_to bigint) returns setof machine_runs language sql stable as $$
  select c.* from machine_runs c
  where c.operator_id = p_wallet and c.meter = p_meter and c.begins_microcents < p_to and c.begins_microcents + c.microcents > p_from
    and c.begins_microcents >= coalesce((select max(b.begins_microcents) from machine_runs b
      where b.operator_id = p_wallet and b.meter = p_meter and b.begins_microcents <= p_from), 0);
$$;
