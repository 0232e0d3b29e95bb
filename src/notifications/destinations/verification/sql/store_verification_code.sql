-- Keeps a new code of a destination, where it is its turn: by next_code_at among the codes that the operator sent to this address, ten of a
-- day; thirty of a day to one address no matter who sends them, and fifty of a day of one operator (decision N2). Those before it count no more. The operator is
-- locked. p_sealed: the code for the life that sends it; null: a mail has it.
-- Returns the seconds to wait where it is too early, 0 where the code counts from now on.
create function store_verification_code(
  p_id text, p_operator text, p_destination text, p_address text, p_code text, p_sealed text, p_seconds int
) returns int language plpgsql as $$
declare
  v_life constant interval := make_interval(secs => p_seconds);
  v_now timestamptz;
  v_next timestamptz;
begin
  perform pg_advisory_xact_lock(1668244581, hashtext(p_address));
  v_now := clock_timestamp();
  select greatest(
      next_code_at(array_agg(requested_at) filter (where address = p_address and operator_id = p_operator), v_life),
      (array_agg(requested_at order by requested_at desc) filter (where address = p_address and operator_id = p_operator))[10] + interval '24 hours',
      (array_agg(requested_at order by requested_at desc) filter (where address = p_address))[30] + interval '24 hours',
      (array_agg(requested_at order by requested_at desc) filter (where operator_id = p_operator))[50] + interval '24 hours')
    into v_next
    from verification_codes
    where (address = p_address or operator_id = p_operator) and requested_at > v_now - interval '24 hours';
  if v_next > v_now then return ceil(extract(epoch from v_next - v_now)); end if;
  update verification_codes set code = null, sealed = null,
      status = case when status = 'waiting' then 'failed' else status end,
      reason = case when status = 'waiting' then 'replaced' else reason end
    where destination_id = p_destination and (code is not null or status = 'waiting');
  insert into verification_codes (id, operator_id, destination_id, address, code, sealed, status, requested_at, expires_at)
    values (p_id, p_operator, p_destination, p_address, p_code, p_sealed, case when p_sealed is null then 'sent' else 'waiting' end,
      v_now, v_now + v_life);
  return 0;
end $$;
