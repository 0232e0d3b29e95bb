-- A passport as the subject of a claim.
create function subject_of_passport(p_jti text) returns text language sql immutable parallel safe as $$
  select 'carnet://passport/' || p_jti;
$$;
