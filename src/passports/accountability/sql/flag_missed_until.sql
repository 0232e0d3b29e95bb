-- Flags the checkpoints that lineages have missed until `p_moment`, whether or not their life has asked yet: before a revocation, which
-- ends what a lineage owes by itself, and before a refresh, which moves its end. The caller holds the lineages.
create function flag_missed_until(p_lineages text[], p_moment timestamptz) returns void language plpgsql as $$
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
    l := flag_missed_checkpoints(l, member, p_moment, null);
    update passport_lineages set next_checkpoint_due_at = l.next_checkpoint_due_at where id = l.id;
    perform record_flag_event(l, member, flagged);
  end loop;
end $$;
