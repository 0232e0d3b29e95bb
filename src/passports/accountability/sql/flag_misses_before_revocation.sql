-- Revoking ends the checkpoint timers from `p_moment` on (decision A28): what was missed by then is flagged first, whether or not the
-- life has asked yet. The caller holds the lineages.
create function flag_misses_before_revocation(p_lineages text[], p_moment timestamptz) returns void language plpgsql as $$
declare
  l passport_lineages;
  flagged bigint;
  member text;
begin
  for l in select x.* from passport_lineages x
    where x.id = any (p_lineages) and x.revoked_at is null and checkpoint_deadline(x) <= p_moment
    order by x.id
  loop
    flagged := last_flag_id(l.id);
    select max(jti) into member from passports where lineage_id = l.id;
    perform flag_missed_checkpoints(l, member, p_moment);
    perform record_flag_event(l, member, flagged);
  end loop;
end $$;
