-- The claim of the service of an invocation as it is now; consumer and provider read it in full.
create function issue_invocation_claim(i invocations) returns void language sql as $$
  select issue_claim('skill_invocation', 'carnet://invocation/' || i.id, invocation_claim_payload(i), i.agent_id, i.mission_id,
    array[i.consumer_operator_id, i.provider_operator_id]);
$$;
