-- Where `llm_key_source` is null: says whose key is missing, and who has to enter it. `p_mode` is the credential_mode of the skill.
create function refuse_missing_credential(p_mode text, p_llm_provider text) returns void language plpgsql as $$
declare
  who constant text := case p_mode when 'buyer_provides' then 'buyer' when 'seller_provides' then 'seller' when 'both' then 'either' end;
begin
  perform refuse('CREDENTIAL_REQUIRED',
    case who
      when 'buyer' then format('The skill asks the model provider %s by a key of yours, and there is none.', p_llm_provider)
      when 'seller' then format('The skill asks the model provider %s by a key of its owner, who has entered none; only they can.', p_llm_provider)
      else format('The skill asks the model provider %s by a key of yours or of its owner, and neither is there.', p_llm_provider)
    end
    || case when who = 'seller' then '' else format(' PUT /v1/credentials/%s, then send the request again.', p_llm_provider) end,
    json_build_object('provider', p_llm_provider, 'who', who));
end $$;
