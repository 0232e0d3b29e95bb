-- The mission that usage was for: the one that was named, else that of the invocation, else the only one of the passport.
create function mission_of_charge(p_mission text, p_invocation text, p_passport text) returns text language sql stable as $$
  select coalesce(p_mission, (select mission_id from invocation_references where id = p_invocation),
    (select mission_id from passport_purposes where jti = p_passport));
$$;
