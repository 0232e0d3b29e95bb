-- Charges what cost the platform `p_cost_microcents`, with the fee, once a source: the row elsewhere that caused it. Returns the
-- microcents charged, the first time's when it was done before. Refuses INSUFFICIENT_CREDITS, and then nothing is recorded.
create function charge_usage(p_source text, p_operator text, p_meter text, p_cost_microcents bigint, p_description text)
returns bigint language plpgsql as $$
declare charge bigint := cost_with_fee(p_cost_microcents); recorded bigint; begins bigint;
begin
  select microcents into recorded from usage_charges where source = p_source;
  if found then return recorded; end if;
  begin
    begins := charge_source(p_operator, p_meter, charge, p_description, null, null); -- created_at comes after its lock
    insert into usage_charges (source, operator_id, meter, cost_microcents, begins_microcents, microcents)
      values (p_source, p_operator, p_meter, p_cost_microcents, begins, charge);
    return charge;
  exception when unique_violation then -- a rival recorded it meanwhile; our charge is undone
    return (select microcents from usage_charges where source = p_source);
  end;
end $$;
