-- Decides whose key a model step is asked with, and takes the call out of what the seller allows where it is theirs. Refuses where a key went
-- missing, or the limit was reached, since the invocation was made.
create function take_model_key(i invocations, s sealed_steps, p_provider text, p_most_microcents bigint) returns sealed_steps
language plpgsql as $$
declare skill skill_offers; v_source text;
begin
  select * into strict skill from skill_offers where id = i.skill_id;
  v_source := llm_key_source(i.consumer_operator_id, i.provider_operator_id, skill.credential_mode, skill.required_credentials::jsonb, p_provider);
  if v_source is null then perform refuse_missing_credential(skill.credential_mode, p_provider); end if;
  update sealed_steps set key_source = v_source,
      seller_month = case v_source when 'seller' then
        begin_seller_call(i.skill_id, skill.seller_credential_limit::jsonb, p_most_microcents) end,
      seller_most_microcents = case v_source when 'seller' then p_most_microcents end
    where invocation_id = s.invocation_id and step_index = s.step_index returning * into s;
  return s;
end $$;
