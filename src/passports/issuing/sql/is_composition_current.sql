-- What was composed outside, from facts of revision `p_revision` that hold until `p_until` (seconds since 1970; null: for ever) and
-- for one key, is signed only while all three stand. Otherwise the caller composes it anew: CN001 from other facts, CN003 for
-- another key. After a change of something else the facts of `p_agents` stand by their digests: an operator who changes grants all the
-- time gets passports all the same.
create function is_composition_current(p_facts_unchanged boolean, p_key_signs boolean, p_until bigint) returns boolean language sql volatile as $$
  select p_facts_unchanged and p_key_signs and coalesce(p_until > extract(epoch from clock_timestamp()), true);
$$;
