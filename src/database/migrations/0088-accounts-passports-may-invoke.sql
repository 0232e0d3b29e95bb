-- Whether a passport may invoke by itself, without a key. A person decides it.
alter table operators add column passports_may_invoke boolean not null default false;

-- For other domains: what operators let their passports do.
create view passport_permissions as select id as operator_id, passports_may_invoke from operators;
