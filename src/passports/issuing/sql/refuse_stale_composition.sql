-- CN001: compose it anew from other facts. CN003: compose it anew for another key.
create function refuse_stale_composition(p_key_signs boolean) returns void language plpgsql as $$
begin
  if p_key_signs then
    raise exception using errcode = 'CN001', message = 'the facts that the passport was composed of have changed since';
  end if;
  raise exception using errcode = 'CN003', message = 'the key that is to sign the passport is not the active one';
end $$;
