-- Checks what was composed outside: it is signed only while its facts, their time and its key stand. Otherwise the caller composes it again: CN001
-- from other facts, CN003 for another key. After a change of something else the facts of its agents stand by their digests: an operator who
-- changes grants all the time gets passports all the same.
create function refuse_stale_composition(p_operator text, p_composed composed_passport) returns void language plpgsql as $$
begin
  if not exists (select from signing_keys where kid = p_composed.kid and status = 'active') then
    raise exception using errcode = 'CN003', message = 'the key that is to sign the passport is not the active one';
  end if;
  if p_composed.holds_until <= extract(epoch from clock_timestamp())
      or not (authority_revision(p_operator) = p_composed.revision
        or are_facts_unchanged(p_operator, p_composed.agents, p_composed.digests)) then
    raise exception using errcode = 'CN001', message = 'the facts that the passport was composed of have changed since';
  end if;
end $$;
