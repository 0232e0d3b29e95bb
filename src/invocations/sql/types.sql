-- The answer of a command: the snapshot, which is all that is kept under the Idempotency-Key, and from the row what it
-- lacks.
create type invocation_answer as (
  replayed boolean,
  snapshot text,
  input text,
  output text,                           -- of a completed snapshot only
  messages int
);

create type invocation_step as (
  status text,
  open boolean,
  changed boolean,                       -- by this step
  wait_ms bigint,
  attempt int,
  expires_at text,
  lease_until text,
  provider_operator_id text,
  steps_done int                         -- of an execution under way; null: there is none
);

create type sealed_step_begun as (
  state text,                            -- run, over
  key_source text,                       -- whose key the model is asked with
  attempt int,
  input text
);

-- The values that an invocation is made of, once it may be made at all.
create type admitted_invocation as (
  revision int,
  version text,
  execution_mode text,
  provider_operator_id text,
  price_cents bigint,
  agent_id text,
  agent_limit bigint
);
