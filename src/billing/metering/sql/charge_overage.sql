-- One metered action over the allowance; a hundred of them are a cent.
create function charge_overage(p_operator text) returns void language plpgsql as $$
declare cost constant bigint := 10000;
begin
  if charge_meter(new_prefixed_id('txn'), p_operator, 'metered_action', cost, 'overage', 'Metered actions over the monthly allowance') is null then
    perform refuse_overage(p_operator, cost);
  end if;
end $$;
