-- What providers send to agents: endpoints, the events that came, and what left again.

create table inbound_endpoints (
  id text primary key,
  operator_id text not null references operators,
  agent_id text not null references agents,
  provider text not null check (provider in ('mail_provider', 'generic')),
  name text,
  slug text not null unique,             -- random, a part of the address that the provider sends to
  forward_url text,                      -- null: events are scanned and recorded
  -- The policy: what is at least so grave is not forwarded; in mode shadow it is, and the verdict is recorded all the same.
  block_at text not null default 'high' check (block_at in ('low', 'medium', 'high', 'critical')),
  mode text not null default 'enforce' check (mode in ('enforce', 'shadow')),
  -- What providers and forwards are signed with, encrypted, and for a day the one before it, which then verifies as well.
  secret text not null,
  old_secret text,
  old_secret_until timestamptz,
  partner_grant_id text references partner_grants, -- whose key made it
  revoked_at timestamptz,
  created_at timestamptz not null default clock_timestamp(),
  constraint inbound_endpoints_old_secret check ((old_secret is null) = (old_secret_until is null))
);
create index inbound_endpoints_of_operator on inbound_endpoints (operator_id, id desc);
create index inbound_endpoints_of_grant on inbound_endpoints (partner_grant_id, id desc) where partner_grant_id is not null;
create index inbound_endpoints_active on inbound_endpoints (operator_id) where revoked_at is null;
create index inbound_endpoints_old_secrets on inbound_endpoints (old_secret_until) where old_secret is not null;

-- One row an endpoint, apart from it since each event changes it.
create table inbound_counters (
  endpoint_id text primary key references inbound_endpoints,
  received bigint not null default 0,    -- events, each once
  rejected bigint not null default 0,    -- requests of which nothing is kept
  duplicates bigint not null default 0,
  clean bigint not null default 0,
  suspicious bigint not null default 0,
  malicious bigint not null default 0,
  forwarded bigint not null default 0,
  blocked bigint not null default 0,     -- by the policy
  forward_failed bigint not null default 0,
  marked_harmless bigint not null default 0, -- findings that a person has marked, each once
  last_event_at timestamptz
) with (fillfactor = 50);

create function make_inbound_counters() returns trigger language plpgsql as $$
begin
  perform count_inbound_endpoint(new.id);
  return null;
end $$;
create trigger inbound_endpoints_counted after insert on inbound_endpoints for each row execute function make_inbound_counters();

-- One row an event, whatever a provider repeats. `attempt` counts from 1: a failed event is taken up again by the next delivery of it, and a
-- replay by hand is one more.
create table inbound_events (
  id text primary key,
  endpoint_id text not null references inbound_endpoints,
  operator_id text not null references operators,
  agent_id text not null references agents,
  provider text not null,
  key_hash bytea not null,               -- SHA-256 of what makes it this event and no other
  key_from text not null check (key_from in ('webhook_id', 'token', 'event_id', 'message_id', 'body')),
  body_hash bytea not null,              -- SHA-256 of the bytes
  scheme text not null check (scheme in ('standard_webhooks', 'hex', 'mailgun')),
  body_authenticated boolean not null,   -- false: the signature does not cover the body
  content_type text,
  size int not null,                     -- of the body, bytes
  attempt int not null default 1,
  status text not null default 'received' check (status in (
    'received', 'scanning', 'recorded', 'forwarded', 'blocked', 'forward_failed', 'forward_blocked', 'revoked', 'failed')),
  reason text,                           -- a word, why it was not forwarded or failed
  error text,                            -- a sentence about it
  verdict text check (verdict in ('clean', 'suspicious', 'malicious')),
  severity text check (severity in ('none', 'low', 'medium', 'high', 'critical')),
  findings jsonb,                        -- of the scanner, without the text that was found
  -- Findings that a person has marked as harmless: detector_key, place and span of each. Another attempt finds them again by these.
  harmless jsonb not null default '[]',
  claim_ids text[] not null default '{}', -- claims of the service that are evidence of what was found, of every attempt
  -- The third level: a model is asked about what the scanner leaves undecided. A call is begun once, whatever becomes of it.
  classification text not null default 'none' check (classification in ('none', 'wanted', 'calling', 'done', 'failed', 'unavailable')),
  calling_since timestamptz,
  counted boolean not null default false, -- its verdict, in the counters
  received_at timestamptz not null default clock_timestamp(),
  attempted_at timestamptz not null default clock_timestamp(), -- when this attempt began
  scanned_at timestamptz,
  ended_at timestamptz,
  life_seen_at timestamptz,
  woken_at timestamptz,                  -- by the reconciler, last
  -- When the reconciler looks at it, while it is open: ten seconds after it came where no life has seen it, else a minute after the last look.
  -- (In UTC: adding an interval is immutable only without a time zone.)
  look_at timestamptz not null generated always as (case
    when life_seen_at is null and woken_at is null then (attempted_at at time zone 'UTC' + interval '10 seconds') at time zone 'UTC'
    else (greatest(life_seen_at, woken_at) at time zone 'UTC' + interval '1 minute') at time zone 'UTC' end) stored,
  constraint inbound_events_once unique (endpoint_id, key_hash),
  constraint inbound_events_ended check ((ended_at is null) = (status in ('received', 'scanning'))),
  constraint inbound_events_judged check ((verdict is null) = (findings is null) and (verdict is null) = (severity is null)),
  constraint inbound_events_explained check (error is null or reason is not null),
  constraint inbound_events_calling check (classification <> 'calling' or calling_since is not null)
);
create index inbound_events_of_endpoint on inbound_events (endpoint_id, id desc);
create index inbound_events_of_body on inbound_events (endpoint_id, body_hash);
create index inbound_events_due on inbound_events (look_at) where status in ('received', 'scanning');
create index inbound_events_seen on inbound_events (greatest(life_seen_at, woken_at)) where status in ('received', 'scanning');

-- What came, encrypted: headers and body. Deleted when the tier no longer keeps it; the hash of the body stays with the event.
create table inbound_contents (
  event_id text primary key references inbound_events,
  operator_id text not null references operators,
  sealed bytea not null,
  stored_at timestamptz not null default clock_timestamp()
);
alter table inbound_contents alter column sealed set storage external; -- what is encrypted cannot be compressed
create index inbound_contents_age on inbound_contents (operator_id, stored_at);

-- One row a forward: written before the call, in the transaction that finds the endpoint not revoked; that row is the leave to make one call. A
-- row that is `sending` for longer than a call takes becomes `unknown`, and nothing is sent again.
create table inbound_forwards (
  id text primary key,
  event_id text not null references inbound_events,
  endpoint_id text not null references inbound_endpoints,
  operator_id text not null references operators,
  attempt int not null,                  -- of the event
  status text not null default 'sending' check (status in ('sending', 'forwarded', 'failed', 'unknown', 'refused')),
  reason text,                           -- why it did not arrive, a word
  status_code int,                       -- of the receiver
  error text,                            -- a sentence about it
  latency_ms int,
  started_at timestamptz not null default clock_timestamp(),
  ended_at timestamptz,
  constraint inbound_forwards_once unique (event_id, attempt),
  constraint inbound_forwards_ended check ((ended_at is null) = (status = 'sending')),
  constraint inbound_forwards_explained check ((error is null) = (status in ('sending', 'forwarded')) and (reason is null) = (error is null))
);
create index inbound_forwards_sending on inbound_forwards (endpoint_id) where status = 'sending';
create index inbound_forwards_sending_of_operator on inbound_forwards (operator_id) where status = 'sending';
