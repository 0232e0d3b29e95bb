-- Invocations of skills. Each command on them is one function and one transaction: idempotency row, state, money, audit row,
-- message for the life (rule 13). Locks are taken in the order of rule 12, the wallet last. Whatever is read after a lock
-- compares with clock_timestamp(), since now() is the start of the transaction (rule 6).

create table invocations (
  id text primary key,
  skill_id text not null,
  skill_revision int not null,           -- whose schemas hold for input and output
  skill_version text not null,
  execution_mode text not null,
  status text not null default 'pending' check (status in ('pending', 'processing', 'completed', 'failed', 'expired')),
  consumer_operator_id text not null,
  provider_operator_id text not null,
  agent_id text,
  api_key_id text,                       -- the agent key that invoked, whose budget it counts against
  passport_id text,
  mission_id text,                       -- what it is for (decision B24); null: none
  price_cents bigint not null check (price_cents >= 0),
  self_invocation boolean not null,
  attempt int not null default 0,        -- +1 each claim (decision K47)
  lease_seconds double precision,
  lease_until timestamptz,
  input text not null,                   -- JSON as text: jsonb would change numbers (decision K49)
  input_hash text not null,
  output text,
  output_hash text,
  error text,                            -- JSON {code, message}
  created_at timestamptz not null,
  claimed_at timestamptz,
  completed_at timestamptz,              -- the end, whichever it was
  expires_at timestamptz not null,
  life_seen_at timestamptz,              -- when its life last read it (rule 11)
  followed_up boolean not null default false, -- its skill's count was moved
  -- Of an open one: when the reconciler looks at it next, at its life or at its deadline, and the epoch of the store of lives in
  -- which its life saw it last; null: in none yet (rule 11).
  look_at timestamptz not null default clock_timestamp() + interval '10 seconds',
  life_epoch int,
  constraint invocations_output_iff_completed check ((status = 'completed') = (output is not null)),
  constraint invocations_error_iff_ended_badly check ((status in ('failed', 'expired')) = (error is not null)),
  constraint invocations_end check ((status in ('pending', 'processing')) = (completed_at is null)),
  constraint invocations_lease check (lease_until is null or status = 'processing')
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_insert_scale_factor = 0.05);
-- Ids sort by creation, so they are the keyset of every list.
create index invocations_mine on invocations (consumer_operator_id, id);
create index invocations_provided on invocations (provider_operator_id, id);
-- What a provider may claim, now or once the lease has lapsed. By lease_seconds, which stays as it is between two claims: with
-- lease_until in an index a heartbeat would write to every index of the row.
create index invocations_claimable on invocations (provider_operator_id, id)
  where status = 'pending' or (status = 'processing' and lease_seconds is not null);
-- Whether a rating is a verified one: whoever rates has a completed invocation (decision K18).
create index invocations_used on invocations (consumer_operator_id, skill_id) where status = 'completed' and not self_invocation;
-- For the reconciler, which reads what is due and nothing else. A life writes to it the first time that it sees an open row, and
-- when a lease moves; a claim or an end writes to every index anyway.
create index invocations_due on invocations (life_epoch, look_at) where status in ('pending', 'processing');

-- One row: the open hold that was looked at last for an open invocation that needs it. A hold without one is a fault, so they are
-- looked at in turn, some a round, and not all of them each time.
create table hold_walk (
  one boolean primary key default true check (one),
  created_at timestamptz not null default '-infinity',
  cause text not null default ''
);
insert into hold_walk default values;

-- In the transaction of whatever makes or ends an invocation, by whichever door, and before the wallet is locked.
create function claim_invocation_state() returns trigger language plpgsql as $$
begin
  perform issue_invocation_claim(new);
  return null;
end $$;
create trigger invocation_begins after insert on invocations for each row execute function claim_invocation_state();
create trigger invocation_ends after update of status on invocations for each row
  when (old.completed_at is null and new.completed_at is not null) execute function claim_invocation_state();

-- For other domains, which read views of invocations and no tables.

-- What makes a rating a verified one (decision K18).
create view completed_invocations as
  select id, consumer_operator_id, skill_id from invocations where status = 'completed' and not self_invocation;
-- For statements of billing, which name what was paid for: nothing here that a statement may not show.
create view invocation_references as select id, status, skill_id, mission_id from invocations;
