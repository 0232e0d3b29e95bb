-- The payload of the claim that the service issues of an invocation: that it was submitted, and how it ended. Claiming
-- has no claim of its own; expiring is failing with the error EXPIRED. JCS: the members stand in their order.
-- The mission is not in it: the provider reads the claim too, and its id, or a hash of it, is the same in all invocations. A claim for each side would
-- be two entries in the log for one fact, and a verifier would have to tell that they are the same.
create function invocation_claim_payload(i invocations) returns text language sql stable as $$
  select '{"at":' || floor(extract(epoch from coalesce(i.completed_at, i.created_at)))
    || case when i.completed_at is null then '' else
      ',"cost_actual":' || invocation_cost(i) end
    || coalesce(',"duration_ms":' || floor(extract(epoch from i.completed_at - i.claimed_at) * 1000)::bigint, '')
    || coalesce(',"error":' || i.error, '')
    || ',"execution_mode":' || jcs_text(i.execution_mode)
    || ',"input_hash":' || jcs_text(i.input_hash)
    || ',"invocation_id":' || jcs_text(i.id)
    || coalesce(',"output_hash":' || to_json(i.output_hash)::text, '')
    || ',"provider_operator_id":' || jcs_text(i.provider_operator_id)
    || ',"skill_id":' || jcs_text(i.skill_id)
    || ',"status":' || case i.status when 'pending' then '"submitted"' when 'completed' then '"completed"' else '"failed"' end
    || ',"type":"skill_invocation"}';
$$;
