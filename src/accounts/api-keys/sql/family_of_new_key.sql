-- The family of a key that is being made: that of the credential that makes it, or its own where a person or the platform does. A maker that
-- is deleted meanwhile is its family by name.
create function family_of_new_key(p_id text, p_made_by text) returns text language sql stable as $$
  select case
    when p_made_by like 'key\_%' and p_made_by <> 'key_platform' then
      coalesce((select coalesce(family, id) from api_keys where id = p_made_by), p_made_by)
    when p_made_by like 'oauth:%' then p_made_by
    else p_id end;
$$;
