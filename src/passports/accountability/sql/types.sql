create type report_answer as (
  replayed boolean,
  answer text,                           -- JSON, as it is kept under the Idempotency-Key
  messages int,
  ended text[]                           -- the jtis of the passports that it ended
);

create type report_begun as (
  lineage passport_lineages,
  moment timestamptz                     -- when the report came: what was missed by then is flagged
);

create type session_step as (
  found boolean,
  raised boolean,                        -- something was past its deadline, of which the operator may be notified
  open boolean,
  wait_ms bigint,                        -- null: nothing is timed
  waits_for text,                        -- 'checkpoint' or 'checkout'
  agent_id text,
  checkpoint int,
  due text,                              -- when it is expected
  until text,                            -- when it counts as missed
  reviews text[]                         -- the first few that are pending
);
