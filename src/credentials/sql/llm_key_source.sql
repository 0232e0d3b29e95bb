-- Returns whose key answers a model step of a skill: `platform`, `buyer` or `seller`; null: it takes one of these two, and the one that it takes is not
-- there. `p_required` are the skill's required_credentials; a provider that they do not name is answered by the platform's key in every mode.
create function llm_key_source(p_consumer text, p_provider_operator text, p_mode text, p_required jsonb, p_llm_provider text)
returns text language sql stable as $$
  select case
    when p_mode = 'none' or not p_required @> jsonb_build_array(jsonb_build_object('provider', p_llm_provider)) then 'platform'
    when p_mode in ('buyer_provides', 'both') and exists (
      select from model_credentials where operator_id = p_consumer and provider = p_llm_provider) then 'buyer'
    when p_mode in ('seller_provides', 'both') and exists (
      select from model_credentials where operator_id = p_provider_operator and provider = p_llm_provider) then 'seller'
  end;
$$;
