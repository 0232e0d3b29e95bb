-- Refuses the invocation of a skill whose model steps could not be asked: a key is missing, or the seller's is used up for the month.
-- `p_calls`: the provider of each step, and the most that it can cost.
create function refuse_model_calls(p_operator text, p_skill text, p_calls jsonb) returns void language plpgsql as $$
declare
  skill skill_offers;
  v_provider text; v_most bigint; v_source text;
  v_seller_calls bigint := 0; v_seller_most bigint := 0;
begin
  select * into strict skill from skill_offers where id = p_skill;
  for v_provider, v_most in select one ->> 'provider', (one ->> 'most_microcents')::bigint from jsonb_array_elements(p_calls) as one loop
    v_source := llm_key_source(p_operator, skill.operator_id, skill.credential_mode, skill.required_credentials::jsonb, v_provider);
    if v_source is null then perform refuse_missing_credential(skill.credential_mode, v_provider); end if;
    if v_source = 'seller' then
      v_seller_calls := v_seller_calls + 1;
      v_seller_most := v_seller_most + v_most;
    end if;
  end loop;
  if v_seller_calls > 0 then perform refuse_seller_limit(p_skill, skill.seller_credential_limit::jsonb, v_seller_calls, v_seller_most); end if;
end $$;
