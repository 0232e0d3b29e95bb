-- Which shape the payload of a type has; 'none': any JSON.
create function claim_schema_of(p_type text) returns text language sql immutable parallel safe as $$
  select case when p_type in ('svid_attestation', 'workload_attestation', 'rats_evidence', 'slsa_provenance', 'c2pa_assertion',
    'ai_bom_ref', 'intent_claim', 'intent_outcome', 'intent_denial', 'intent_simulation', 'entity_observation', 'detector_signal',
    'skill_invocation', 'checkpoint_approval') then 'v1' else 'none' end;
$$;
