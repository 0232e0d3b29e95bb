-- For commands that name a passport: its agent, null where it is not the operator's; refused once it has ended or an authority
-- that it carries is no longer live.
create function assert_passport_usable(p_operator text, p_jti text, p_claim text default 'svcns') returns text language plpgsql as $$
declare
  p passports;
  l passport_lineages;
  v_bindings text[];
begin
  select * into p from passports where jti = p_jti and operator_id = p_operator;
  if not found then return null; end if;
  select * into strict l from passport_lineages where id = p.lineage_id;
  perform refuse_withdrawn(p);
  perform refuse_ended(p, l);
  v_bindings := array(select ref ->> 'binding_id' from json_array_elements(p.payload::json -> p_claim -> 'authority_refs') as ref);
  if cardinality(v_bindings) > cardinality(authority_bindings_active(v_bindings, p.agent_id)) then
    perform refuse('AUTHORITY_BINDING_INVALID', 'An authority binding of the passport is no longer active; issue a new passport.');
  end if;
  return p.agent_id;
end $$;
