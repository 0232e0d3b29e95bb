-- How many sources a debit shows; what is beyond p_most of either kind is not counted.
create function count_debit_sources(p_wallet text, p_meter text, p_from_cents bigint, p_cents bigint, p_most int) returns bigint language plpgsql stable as $$
declare
  v_from constant bigint := p_from_cents * 1000000;
  v_to constant bigint := (p_from_cents + p_cents) * 1000000;
begin
  return (select count(*) from (
    (select from calls_of_debit(p_wallet, p_meter, v_from, v_to) limit p_most)
    union all
    (select from runs_of_debit(p_wallet, p_meter, v_from, v_to) limit p_most)) sources);
end $$;
