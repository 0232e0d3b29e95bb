-- Transfers of a wallet before an instant: all up to a position, since times follow positions. Twenty look-ups find it among a million.
create function count_transfers_before(p_operator text, p_instant timestamptz) returns bigint language plpgsql stable as $$
declare low bigint := 0; high bigint; middle bigint;
begin
  select last_position into strict high from wallets where operator_id = p_operator;
  while low < high loop
    middle := (low + high + 1) / 2;
    if (select created_at from transfers where wallet = p_operator and position = middle) < p_instant then low := middle; else high := middle - 1; end if;
  end loop;
  return low;
end $$;
