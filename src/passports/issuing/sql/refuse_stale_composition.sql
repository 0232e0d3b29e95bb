-- Checks what was composed outside, from facts of revision `p_revision` that hold until `p_until` (seconds since 1970; null: for ever) and
-- for one key: it is signed only while all three stand. Otherwise the caller composes it again: CN001 from other facts, CN003 for
-- another key. After a change of something else the facts of `p_agents` stand by their digests: an operator who changes grants all the
-- time gets passports all the same.
create function refuse_stale_composition(
  p_operator text, p_revision bigint, p_agents text[], p_digests text[], p_kid text, p_until bigint
) returns void language plpgsql as $$
begin
  if not exists (select from signing_keys where kid = p_kid and status = 'active') then
    raise exception using errcode = 'CN003', message = 'the key that is to sign the passport is not the active one';
  end if;
  if p_until <= extract(epoch from clock_timestamp())
      or not (authority_revision(p_operator) = p_revision or are_facts_unchanged(p_operator, p_agents, p_digests)) then
    raise exception using errcode = 'CN001', message = 'the facts that the passport was composed of have changed since';
  end if;
end $$;
