-- Records a model call and charges it, once an id; members of `p_call` are columns of model_calls, and `passport_id`. A call of
-- price state wallet_price is charged to its `meter`: what it cost with the fee, or with llm_gateway the fee alone. Returns the microcents
-- charged. Refuses INSUFFICIENT_CREDITS, and then nothing is recorded.
create function record_model_call(p_call jsonb) returns bigint language plpgsql as $$
declare c model_calls := jsonb_populate_record(null::model_calls, p_call); recorded bigint;
begin
  select microcents into recorded from model_calls where id = c.id;
  if found then return recorded; end if;
  c.microcents := case when c.price_state <> 'wallet_price' then 0 when c.meter = 'llm_gateway' then fee_of_cost(c.cost_microcents)
    else cost_with_fee(c.cost_microcents) end;
  c.skill_id := coalesce(c.skill_id, (select skill_id from invocation_references where id = c.invocation_id));
  c.mission_id := mission_of_charge(c.mission_id, c.invocation_id, p_call ->> 'passport_id');
  c.declared_purpose := purpose_of_charge(c.mission_id, p_call ->> 'passport_id');
  begin
    c.begins_microcents := charge_source(c.operator_id, c.meter, c.microcents,
      case c.meter when 'llm_gateway' then 'Model calls by a key of the customer: gateway fee' when 'l3' then 'Injection classification'
        else 'Sealed execution' end, c.skill_id, c.invocation_id);
    if c.begins_microcents is null then c.meter := null; end if;
    -- The wallet comes last: with its row locked nobody takes a place or an earlier time in between.
    update wallets set last_call = last_call + 1 where operator_id = c.operator_id returning last_position, last_call into strict c.position, c.call;
    c.created_at := clock_timestamp();
    insert into model_calls select c.*;
    return c.microcents;
  exception when unique_violation then -- a rival recorded it meanwhile; our charge and place are undone
    return (select microcents from model_calls where id = c.id);
  end;
end $$;
