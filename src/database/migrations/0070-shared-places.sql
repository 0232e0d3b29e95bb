-- The share of a receiver that hangs: after timeouts in a row it has one place, later none for a while. `slow_since`: it has one at most since
-- then. `held_until`: nothing is sent to it before; a moment that is past stays until it answers.
alter table destinations add column timeouts_in_row int not null default 0, add column slow_since timestamptz, add column held_until timestamptz;
alter table inbound_endpoints add column timeouts_in_row int not null default 0, add column slow_since timestamptz, add column held_until timestamptz;
-- Those that hang are few, and counted together.
create index destinations_slow on destinations (operator_id) where slow_since is not null;
create index inbound_endpoints_slow on inbound_endpoints (operator_id) where slow_since is not null;
