-- What happened that an operator may be notified of. Written in the transaction of what it is about.

create table service_events (
  seq bigint generated always as identity primary key,
  id text not null unique,
  operator_id text not null references operators,
  event_type text not null,
  severity text not null check (severity in ('info', 'warning', 'critical')),
  payload text not null,                 -- JSON
  -- Readers of the feed go by (tx, seq) and stop before the oldest transaction that is still at work: by `seq` alone they would pass
  -- by an event that commits after one that was numbered later.
  tx xid8 not null default pg_current_xact_id(),
  created_at timestamptz not null default clock_timestamp()
);
create index service_events_of_operator on service_events (operator_id, tx, seq);
create index service_events_age on service_events (created_at);

-- Event types that happen too often to be written for everybody: written for these operators alone, whose rules name them.
create table wanted_event_types (
  operator_id text not null references operators,
  event_type text not null,
  primary key (operator_id, event_type)
);

-- For who writes events of these types: the operators that they are written for.
create view wanted_events as select operator_id, event_type from wanted_event_types;

-- For notifications: what a delivery states.
create view notified_events as select id, operator_id, event_type, severity, payload, created_at from service_events;

-- Another copy of the database is noticed where another store of lives is.
create function settle_events() returns trigger language plpgsql as $$
begin
  perform settle_restored_events();
  return null;
end $$;
create trigger life_store_settles_events after update on life_store for each row execute function settle_events();
