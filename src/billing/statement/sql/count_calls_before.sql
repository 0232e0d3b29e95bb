-- The same of model calls.
create function count_calls_before(p_operator text, p_instant timestamptz) returns bigint language plpgsql stable as $$
declare low bigint := 0; high bigint; middle bigint;
begin
  select last_call into strict high from wallets where operator_id = p_operator;
  while low < high loop
    middle := (low + high + 1) / 2;
    if (select created_at from model_calls where operator_id = p_operator and call = middle) < p_instant then low := middle; else high := middle - 1; end if;
  end loop;
  return low;
end $$;
