-- Where operators are notified, of what, and what became of each delivery.

create table destinations (
  id text primary key,
  operator_id text not null references operators,
  channel_type text not null check (channel_type in ('email', 'sms', 'webhook')),
  destination text not null,             -- as it was given
  address text not null,                 -- normalised: equal ones are one destination
  verified_at timestamptz,
  -- Webhooks: the secret that signs, encrypted, and for a day the one before it.
  secret text,
  old_secret text,
  old_secret_until timestamptz,
  -- The ladder: deliveries that failed one after the other, since when, and what came of it.
  failures_in_row int not null default 0,
  failing_since timestamptz,
  disabled_at timestamptz,
  disabled_reason text,
  warned_at timestamptz[] not null default '{}', -- by mail, in the last 24 hours
  -- The life sends until then: so many destinations of one operator send at once. Another waits for its turn, since then.
  sending_until timestamptz,
  waiting_since timestamptz,
  -- A thousand deliveries waited when its life, or the reconciler, looked last: until then events are left out (decision N30).
  queue_full_until timestamptz,
  turn_began_at timestamptz,             -- the last one: turns begin half a second apart
  life_seen_at timestamptz,
  created_at timestamptz not null default clock_timestamp(),
  constraint destinations_once unique (operator_id, channel_type, address),
  constraint destinations_secret check ((secret is not null) = (channel_type = 'webhook')),
  constraint destinations_old_secret check ((old_secret is null) = (old_secret_until is null)),
  constraint destinations_disabled check ((disabled_at is null) = (disabled_reason is null))
) with (fillfactor = 50);                -- each batch changes the row, and no index of it
-- Secrets whose day is over are deleted.
create index destinations_old_secrets on destinations (old_secret_until) where old_secret is not null;

-- Turns of destinations that were deleted in them: calls may be under way until then, and count among the operator's.
create table turns_of_deleted (
  operator_id text not null references operators,
  until timestamptz not null
);
create index turns_of_deleted_until on turns_of_deleted (operator_id, until);

-- The codes of the last 24 hours (decision N2), those of deleted destinations too, since the limits count them. `address` is a HMAC of
-- channel and address: an address has its limit whoever names it.
create table verification_codes (
  id text primary key,
  operator_id text not null references operators,
  destination_id text not null,
  address text not null,
  code text,                             -- HMAC of destination and code; null: used, or replaced
  sealed text,                           -- the code itself, encrypted, until it is sent
  -- E-mail goes by the life of its mail and is `sent` here at once.
  status text not null check (status in ('waiting', 'sending', 'sent', 'failed', 'unknown')),
  reason text,                           -- why it was not sent, a word
  error text,                            -- a sentence about it
  tries int not null default 0,
  life_seen_at timestamptz,
  woken_at timestamptz,                  -- by the reconciler, last
  requested_at timestamptz not null default clock_timestamp(),
  started_at timestamptz,                -- the one call there is began
  expires_at timestamptz not null,
  -- When the reconciler looks at it, while it is to be sent or being sent: ten seconds after it was requested where no life has seen it, else
  -- a minute after the call began, or after its time. (In UTC: adding an interval is immutable only without a time zone.)
  look_at timestamptz not null generated always as (case
    when woken_at > life_seen_at or life_seen_at is null and woken_at is not null
      then (woken_at at time zone 'UTC' + interval '1 minute') at time zone 'UTC'
    when life_seen_at is null then (requested_at at time zone 'UTC' + interval '10 seconds') at time zone 'UTC'
    else (least(started_at, expires_at) at time zone 'UTC' + interval '1 minute') at time zone 'UTC' end) stored,
  constraint verification_codes_sealed check ((sealed is not null) = (status = 'waiting')),
  constraint verification_codes_sending check (status <> 'sending' or started_at is not null)
);
create index verification_codes_of_destination on verification_codes (destination_id, requested_at);
create index verification_codes_of_address on verification_codes (address, requested_at);
create index verification_codes_of_operator on verification_codes (operator_id, requested_at);
create index verification_codes_age on verification_codes (requested_at);
create index verification_codes_due on verification_codes (look_at) where status in ('waiting', 'sending');
-- By the last moment that a life or the reconciler looked after it: a life of another store may be gone.
create index verification_codes_seen on verification_codes (greatest(life_seen_at, woken_at)) where status in ('waiting', 'sending');

create table notification_rules (
  id text primary key,
  operator_id text not null references operators,
  events text[] not null check (cardinality(events) > 0), -- types, or `<family>.*`
  min_severity text not null check (min_severity in ('info', 'warning', 'critical')),
  active boolean not null default true,  -- false: no destination is left
  created_at timestamptz not null default clock_timestamp()
);
create index notification_rules_of_operator on notification_rules (operator_id, id desc);

create table rule_destinations (
  rule_id text not null references notification_rules on delete cascade,
  destination_id text not null references destinations on delete cascade,
  position int not null,                 -- as they were named
  primary key (rule_id, destination_id)
);
create index rule_destinations_of_destination on rule_destinations (destination_id);

-- The optional events that rules name are written for the operator (wanted_event_types).
create function rules_changed() returns trigger language plpgsql as $$
begin
  perform follow_rules(coalesce(new.operator_id, old.operator_id));
  return null;
end $$;
create trigger notification_rules_name_events after insert or delete or update of events, active on notification_rules
  for each row execute function rules_changed();

-- One row a delivery, written with the event, and forgotten with it. `sending` without `started_at`: it waits for its turn. Whoever sets
-- `started_at` makes the one call there is; a row that keeps `sending` for longer than a call takes becomes `unknown`, and nothing is sent
-- again.
create table deliveries (
  id text primary key,
  operator_id text not null references operators,
  event_id text not null references service_events (id) on delete cascade,
  destination_id text not null,          -- which may be deleted since
  ordinal int not null default 0,        -- of the event at this destination: 0, then one more for each by hand
  channel_type text not null check (channel_type in ('email', 'sms', 'webhook')),
  event_type text not null,
  status text not null default 'sending' check (status in ('sending', 'delivered', 'failed', 'unknown', 'suppressed_cap')),
  reason text,                           -- why it is not delivered, a word
  status_code int,                       -- of the receiver
  error text,                            -- a sentence about it
  latency_ms int,                        -- from the call to its end
  left_out int not null default 0,       -- of `queue_full`: further events of this minute that got no row
  created_at timestamptz not null default clock_timestamp(),
  started_at timestamptz,
  ended_at timestamptz,
  looked_at timestamptz,                 -- by a life or the reconciler, last, as the reconciler found
  -- When the reconciler looks at it, while it is open: ten seconds after it was made, forty after its call began (which takes twenty), else
  -- two minutes after the last look, since a life pauses for as long between two tries. (In UTC: as of a code.)
  look_at timestamptz not null generated always as (case
    when looked_at > started_at or started_at is null and looked_at is not null
      then (looked_at at time zone 'UTC' + interval '2 minutes') at time zone 'UTC'
    when started_at is not null then (started_at at time zone 'UTC' + interval '40 seconds') at time zone 'UTC'
    else (created_at at time zone 'UTC' + interval '10 seconds') at time zone 'UTC' end) stored,
  constraint deliveries_once unique (event_id, destination_id, ordinal),
  constraint deliveries_ended check ((ended_at is null) = (status = 'sending')),
  constraint deliveries_explained check ((error is null) = (status in ('sending', 'delivered')) and (reason is null) = (error is null))
);
create index deliveries_waiting on deliveries (destination_id, id) where status = 'sending';
create index deliveries_due on deliveries (look_at) where status = 'sending';
-- By the last moment that something happened to it: a life of another store may be gone.
create index deliveries_seen on deliveries (greatest(created_at, started_at, looked_at)) where status = 'sending';
create index deliveries_of_operator on deliveries (operator_id, id desc);
create index deliveries_of_destination on deliveries (destination_id, id desc);
-- The row at which a full queue counts what it leaves out: of an event, not of a test.
create index deliveries_left_out on deliveries (destination_id, created_at)
  where reason = 'queue_full' and event_type <> 'notification.test';

create function notify_of_event() returns trigger language plpgsql as $$
begin
  perform match_rules(new.id, new.operator_id, new.event_type, new.severity);
  return null;
end $$;
create trigger service_events_notify after insert on service_events for each row execute function notify_of_event();
