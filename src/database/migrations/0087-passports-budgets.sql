-- How much the invocations of a passport, and of all that come of it, may cost. A refresh continues the budget of its lineage.
create table passport_budgets (
  jti text primary key,                  -- the passport that named it, the first of its lineage
  amount_cents bigint not null check (amount_cents >= 0),
  -- What its invocations hold or have cost, with those of the passports below.
  used_cents bigint not null default 0,
  constraint passport_budgets_kept check (used_cents between 0 and amount_cents)
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02);

-- The budgets that its invocations count against, the root's first; null: none. All that lock several lock them in this order.
alter table passports add column budgets text[];
-- Those that an invocation was counted against, which get back what it gives back.
alter table invocations add column budgets text[];

create or replace view passport_purposes as
  select p.jti, case when cardinality(l.mission_ids) = 1 then l.mission_ids[1] end as mission_id, l.intent::json ->> 'summary' as summary,
    p.budgets
  from passports p join passport_lineages l on l.id = p.lineage_id;
