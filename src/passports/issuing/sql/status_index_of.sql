-- The bit of the p_nth passport of a day. In blocks of 2^20 it is a permutation under a key of the day, so that the bits of two
-- passports do not tell how many were issued between them, and no two have one bit. A Feistel network of four rounds over two halves of ten bits
-- (Luby and Rackoff: four rounds of a pseudo-random function look like a random permutation).
create function status_index_of(p_nth bigint, p_key bytea) returns int language plpgsql immutable as $$
declare
  v_left int := (p_nth >> 10) & 1023;
  v_right int := p_nth & 1023;
  v_mixed bytea;
  v_before int;
begin
  for round in 0..3 loop
    v_mixed := sha256(p_key || int4send((p_nth >> 20)::int) || int4send((round << 10) | v_right));
    v_before := v_left;
    v_left := v_right;
    v_right := v_before # (((get_byte(v_mixed, 0) << 8) | get_byte(v_mixed, 1)) & 1023);
  end loop;
  return ((p_nth >> 20) << 20)::int | (v_left << 10) | v_right;
end $$;
