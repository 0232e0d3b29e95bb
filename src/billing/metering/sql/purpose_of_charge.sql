-- Returns the purpose of usage, as the mission or else the passport says it.
create function purpose_of_charge(p_mission text, p_passport text) returns text language sql stable as $$
  select coalesce((select declared_intent from mission_intents where id = p_mission), (select summary from passport_purposes where jti = p_passport));
$$;
