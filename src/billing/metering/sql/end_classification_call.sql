-- Ends the classification that was begun for `p_source`, once: what was held is released, and the call is recorded and charged as it was begun.
-- Members of `p_call` are columns of model_calls; null: no answer came, so what it cost is unknown, the platform pays, and it does not count.
create function end_classification_call(p_source text, p_call jsonb) returns void language plpgsql as $$
declare c classification_calls; v_covered boolean := false;
begin
  update classification_calls set ended_at = clock_timestamp() where source = p_source and ended_at is null returning * into c;
  if not found then return; end if;
  perform from usage_counters where operator_id = c.operator_id and meter = 'l3' and month = c.month for no key update;
  perform release_hold(c.id);
  if p_call is not null then
    begin
      perform record_model_call(p_call || jsonb_build_object('id', c.id, 'operator_id', c.operator_id, 'price_state', c.price_state,
        'meter', case c.price_state when 'wallet_price' then 'l3' end));
    exception when sqlstate 'CN000' then -- a payment was charged back meanwhile, and took what was held
      perform record_model_call(p_call || jsonb_build_object('id', c.id, 'operator_id', c.operator_id, 'price_state', 'covered'));
      v_covered := true;
    end;
  end if;
  update usage_counters set used = used - (p_call is null)::int,
      overage = overage - (c.price_state = 'wallet_price' and (p_call is null or v_covered))::int
    where operator_id = c.operator_id and meter = 'l3' and month = c.month;
end $$;
