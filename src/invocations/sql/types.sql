-- What a command answers: the snapshot, which is all that is kept under the Idempotency-Key, and from the row what it
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
  provider_operator_id text
);
