-- Counts a call of a model by the platform's key that is charged to nobody, at the most that its run can cost. A usage counter, so it comes
-- before wallets (rule 12).
create function count_unanswered_call(i invocations) returns void language plpgsql as $$
begin
  insert into unanswered_model_calls (operator_id, hour, cents)
    values (i.consumer_operator_id, date_trunc('hour', clock_timestamp()), greatest(i.compute_bound_cents, 1))
    on conflict (operator_id, hour) do update set cents = unanswered_model_calls.cents + excluded.cents;
  delete from unanswered_model_calls where operator_id = i.consumer_operator_id and hour < clock_timestamp() - interval '1 day';
end $$;
