-- Accountability over time: an agent of mode enforced is silent at most for its interval and the grace, over all its passports.

-- When the newest report of an agent came, a checkpoint or a checkout of any of its lineages. What is silent since before is counted by
-- the lineage itself, so an agent that has not reported yet has no row.
create table agent_silences (
  agent_id text primary key,
  since timestamptz not null
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02);

-- Lineages of enforced agents that must still report: each keeps its agent's silence until its checkout, also past its expiry.
create index passport_lineages_open on passport_lineages (agent_id)
  where accountability = 'enforced' and checked_out_at is null and checkout_missed_at is null;

-- The release before allowed silence past the expiry, so nobody is flagged for that: what is open now counts from this moment.
insert into agent_silences (agent_id, since)
  select distinct agent_id, clock_timestamp() from passport_lineages
  where accountability = 'enforced' and checked_out_at is null and checkout_missed_at is null;

-- Their lives wait for deadlines of the release before, which may be a day away. The longest silence is 375 seconds, and the reconciler
-- raises what is 30 seconds past it.
update passport_sessions set look_at = least(look_at, clock_timestamp() + interval '405 seconds')
  where id in (select session_id from passport_lineages
    where accountability = 'enforced' and checked_out_at is null and checkout_missed_at is null);
