-- Who has or had a public key: accountability and holds bind every agent of the operator that shares one.
create index agent_public_keys_of_key on agent_public_keys (operator_id, key_thumbprint);
